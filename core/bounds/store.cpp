// bound_store: what the storage format is charged with. On the kept keys, with w and the value errors bounded from the
// stored bytes alone (stored_row.hpp, equations 1 and 2),
//   (Z_S / Z) ||o_S - o~|| <= (Z_S / Z) [ tanh(w / 4) 2 R_S + sum_S p~_j ||v_j - v~_j|| ] .
// Together with the omitted keys, whatever chose them,
//   ||o - õ|| <= bound_replay + bound_pool + bound_selection + bound_store + bound_arithmetic + radii :
// write o - õ = sum_j p_j (v_j - õ) + p_sink (0 - õ) and split the sum over the keys by stage; the kept part with the
// sink is (Z_S / Z) (o_S - õ). Selecting by perturbed scores enters only through which keys are omitted. The bounds for
// pure truncations do not hold here: used as they stand they fail on most rows of a quantised cache.
#include <algorithm>

#include "core/bounds/bound.hpp"
#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

bool stores(const PathTraits& traits) { return traits.stores; }

double bound_store(const PathJudgement& row) {
  const ExactRow& exact = *row.exact;
  const double share =
      std::min(row.split.kept.z_of_row() / exact.z * (1 + 4.04 * (exact.rho_max + kUnitRoundoff)), 1.0);
  // p~ is within its own relative radius
  const double bound = row.stored->output_bound() * (1 + 2.02 * row.stored->row.rho_max);
  return raised(row, share * bound) * (1 + 0x1p-40);
}

const bool metric_registered = PathMetricRegistry::instance().add(
    {.name = "bound_store",
     .units = "1",
     .long_name =
         "part of the bound that the storage format is charged with: attended mass times (tanh(w/4) 2 R + sum of "
         "weight times value error), from the stored bytes alone",
     .applies = stores,
     .evaluate = bound_store});

const bool bound_registered = BoundRegistry::instance().add({.name = "bound_composed",
                                                             .long_name = "bound_pool + bound_selection + bound_store",
                                                             .applies = stores,
                                                             .evaluate = [](const PathJudgement& row) {
                                                               return weighted_distance_upper(row, row.tail) +
                                                                      bound_store(row) + row.arithmetic_upper();
                                                             }});

}  // namespace
}  // namespace lacuna
