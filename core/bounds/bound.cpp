#include "core/bounds/bound.hpp"

#include <limits>

#include "core/metrics/metric.hpp"

namespace lacuna {

double evaluate(const BoundKind& kind, const PathJudgement& row) {
  return row.is_weighed() ? kind.evaluate(row) : std::numeric_limits<double>::infinity();
}

double raised(const PathJudgement& row, double x) {
  const double terms = static_cast<double>(row.exact->visible + row.problem->d_v() + 20);
  return x * (1 + 2 * terms * kUnitRoundoff);
}

double weighted_distance_upper(const PathJudgement& row, const PartSums& part) {
  if (part.count == 0) return 0;
  // each e_j and Z is within its own relative radius: e_j (1 + rho_j), Z (1 - rho_mean)
  const double sum = (part.distance_sum + 1.01 * part.distance_rho_sum) * part.to_row() / row.exact->z *
                     (1 + 1.01 * row.exact->rho_mean);
  const double mass =
      (part.z.value() + 1.01 * part.rho) * part.to_row() / row.exact->z * (1 + 1.01 * row.exact->rho_mean);
  return raised(row, sum + mass * row.arithmetic_upper()) + row.underflow() * (1 + part.distance_max);
}

std::vector<const BoundKind*> bounds_of(const PathTraits& traits) {
  std::vector<const BoundKind*> result;
  if (traits.other_support) return result;
  for (const BoundKind& kind : BoundRegistry::instance().kinds())
    if (kind.applies(traits)) result.push_back(&kind);
  return result;
}

double composed_bound(const PathJudgement& row, double smallest) {
  if (!row.is_weighed()) return std::numeric_limits<double>::infinity();
  return (smallest + row.arithmetic_upper() + row.output_error.radius) * (1 + 8 * kUnitRoundoff);
}

bool violates(const PathJudgement& row, double bound) {
  return row.is_weighed() && !(row.output_error.value <= bound * (1 + 1e-12) + row.output_error.radius);
}

namespace {

// The terms of the composed bound, stage by stage:
//   ||o - õ|| <= sum_{T_replay} p_j ||v_j - õ|| + sum_{T_pool} p_j ||v_j - õ|| + sum_{T_selection} p_j ||v_j - õ||
//              + arithmetic ,
// the first three being tail_mean split by stage.
const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "bound_replay",
         .units = "1",
         .long_name = "part of the bound that the replay is charged with: sum of p ||v - output|| over local rows that "
                      "it did not make anew",
         .applies = [](const PathTraits& traits) { return traits.replays; },
         .evaluate = [](const PathJudgement& row) { return weighted_distance_upper(row, row.split.lost_replay); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bound_pool",
         .units = "1",
         .long_name = "part of the bound that the pool is charged with: sum of p ||v - output|| over keys out of reach",
         .applies = [](const PathTraits& traits) { return traits.has_pool; },
         .evaluate = [](const PathJudgement& row) { return weighted_distance_upper(row, row.split.lost_pool); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bound_selection",
         .units = "1",
         .long_name = "part of the bound that the selection is charged with: sum of p ||v - output|| over keys within "
                      "reach that were not attended",
         .evaluate =
             [](const PathJudgement& row) { return weighted_distance_upper(row, row.split.lost_selection); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bound_arithmetic",
         .units = "1",
         .long_name = "norm of the ruler's output over the attended keys - the path's own output",
         .evaluate = [](const PathJudgement& row) { return row.arithmetic_error; }});

}  // namespace
}  // namespace lacuna
