// bound_value_norm: with o - o_S = delta (mu_tail - mu_head) and both means inside the ball of radius V = max_j ||v_j||
// around 0 (a sink's value 0 included),
//   ||o - o_S|| <= 2 V delta .
#include "core/bounds/bound.hpp"

namespace lacuna {
namespace {

const bool registered =
    BoundRegistry::instance().add({.name = "bound_value_norm",
                                   .long_name = "2 V delta, V the largest visible value norm, delta the omitted mass",
                                   .evaluate = [](const PathJudgement& row) {
                                     return raised(row, 2 * row.exact->value_norm_max * row.delta_upper());
                                   }});

}  // namespace
}  // namespace lacuna
