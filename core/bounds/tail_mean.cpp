// bound_tail_mean: the triangle inequality on delta (mu_tail - o_S) = sum_T p_j (v_j - o_S),
//   ||o - o_S|| <= sum_{j omitted} p_j ||v_j - o_S|| ,
// never above the posterior bound.
#include "core/bounds/bound.hpp"

namespace lacuna {
namespace {

const bool registered = BoundRegistry::instance().add(
    {.name = "bound_tail_mean",
     .long_name = "sum over omitted keys of exact weight times distance of the value from the output",
     .evaluate = [](const PathJudgement& row) { return weighted_distance_upper(row, row.tail); }});

}  // namespace
}  // namespace lacuna
