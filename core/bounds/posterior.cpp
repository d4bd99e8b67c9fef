// bound_posterior: knowing the output õ, with ||o_S - õ|| = a,
//   ||o - o_S|| = delta ||mu_tail - o_S|| <= delta ( max_{j omitted} ||v_j - õ|| + a ) .
#include "core/bounds/bound.hpp"

namespace lacuna {
namespace {

const bool registered = BoundRegistry::instance().add(
    {.name = "bound_posterior",
     .long_name = "delta times the largest distance of an omitted value from the output",
     .evaluate = [](const PathJudgement& row) {
       return raised(row, row.delta_upper() * (row.tail.distance_max + row.arithmetic_upper()));
     }});

}  // namespace
}  // namespace lacuna
