// bound_blockwise: tail_mean with each value replaced by a ball (c_b, r_b) over its block of 16 keys,
//   ||o - o_S|| <= sum_b delta_b ( ||c_b - õ|| + r_b + a ) ,   delta_b = sum of p_j over the block's omitted keys,
// a = ||o_S - õ||. The ball may cover the whole block, attended keys included; a local row is a block of its own.
#include "core/bounds/bound.hpp"

namespace lacuna {
namespace {

const bool registered = BoundRegistry::instance().add(
    {.name = "bound_blockwise",
     .long_name = "sum over blocks of 16 keys of omitted mass times reach of the block's value ball from the output",
     .evaluate = [](const PathJudgement& row) {
       if (row.tail.count == 0) return 0.0;
       const double raise = 1 + row.delta_relative_radius;
       // a ball's radius and centre distance are within (d + block) u of V
       const double slack = row.delta * row.exact->value_norm_max * 64 * kUnitRoundoff;
       return raised(row, row.split.blockwise_sum / row.exact->z * (1 + 1.01 * row.exact->rho_max) * raise +
                              row.delta_upper() * row.arithmetic_upper() + slack) +
              row.underflow() * (1 + 2 * row.exact->value_norm_max);
     }});

}  // namespace
}  // namespace lacuna
