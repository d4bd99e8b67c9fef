// bound_variance: from o - o_S = (Z_T / Z_S) (mu_tail - o) = (Z/Z_S) sum_T p_j (v_j - o) = -(Z/Z_S) sum_S p_j (v_j -
// o), Cauchy-Schwarz over either side gives, with Var = sum_j p_j ||v_j - o||^2 + p_sink ||o||^2,
//   ||o - o_S||^2 <= (Z/Z_S)^2 min( delta Var_T , (1 - delta) Var_S ) <= (Z_T / Z_S) Var ,
// since min(delta a, (1 - delta) b) <= delta (1 - delta) (a + b). It beats 2 R delta for values that spread little
// around the output, and diverges as delta -> 1. The sink belongs to Var.
#include <cmath>
#include <limits>

#include "core/bounds/bound.hpp"

namespace lacuna {
namespace {

const bool registered = BoundRegistry::instance().add(
    {.name = "bound_variance",
     .long_name = "sqrt(Z_omitted / Z_attended * variance of the values under the exact weights, sink included)",
     .evaluate = [](const PathJudgement& row) {
       const double kept = row.split.kept.z_of_row();
       if (row.tail.count == 0) return 0.0;
       if (!(kept > 0)) return std::numeric_limits<double>::infinity();
       const double odds = row.tail.z_of_row() / kept * (1 + 4.04 * (row.exact->rho_max + kUnitRoundoff));
       // o itself is within its radius, which moves each distance by as much
       const double spread = std::sqrt(row.exact->variance * (1 + 4.04 * row.exact->rho_max)) + row.exact->error_radius;
       if (!std::isfinite(spread)) return std::numeric_limits<double>::infinity();  // odds may be 0
       return raised(row, std::sqrt(odds) * spread) + std::sqrt(row.underflow()) * 0x1p-500;
     }});

}  // namespace
}  // namespace lacuna
