#include "core/metrics/path_judgement.hpp"

#include <cmath>
#include <limits>

namespace lacuna {
namespace {

constexpr double u = kUnitRoundoff;

double second_order(const ExactRow& exact) {
  const double g = gamma(static_cast<double>(exact.visible + 1));
  return 6 * g * g;
}

/// Equation (3): the radius of the mean of a part.
double mean_radius(const PartSums& part, const std::vector<double>& mean, const ExactRow& exact,
                   const std::vector<double>& o_path) {
  const double z = part.z.value();
  if (z <= 0) return 0;
  const double spread = part.distance_rho_sum / z + part.rho / z * distance(o_path, mean);
  return 1.01 * (spread + 3 * u * norm(mean) + second_order(exact) * exact.value_norm_max);
}

/// Equations (1), (2), (4): the move from the mean of `before` = `after` + `lost` to the mean of `after`.
MeasuredError truncation_error(const PartSums& lost, const PartSums& after, const PartSums& before,
                               const ExactRow& exact, const std::vector<double>& o_path) {
  if (lost.count == 0) return {0, 0};
  const double z = before.z.value();
  const double to_before = std::exp(lost.log_scale - before.log_scale);
  const double mass = z > 0 ? lost.z.value() * to_before / z : 0;
  const std::vector<double> lost_mean = lost.mean();
  const std::vector<double> after_mean = after.mean();
  const double d = distance(lost_mean, after_mean);
  const double value = mass * d;
  const double d_v = static_cast<double>(after_mean.size());
  // mass times (2), which also serves a mass of 0
  const double mass_radius = 1.01 * (lost.rho * to_before / z + mass * (before.rho / z + 3 * u + second_order(exact)));
  const double radius =
      mass_radius * d +
      mass * (mean_radius(lost, lost_mean, exact, o_path) + mean_radius(after, after_mean, exact, o_path)) +
      (d_v + 8) * u * value + 1e-290 * (1 + exact.value_norm_max);
  return {value, radius};
}

}  // namespace

/// Scores are within sm gamma_{d+2} sum |q_c k_c| of the exact ones, weights within e^{that}, one rescaling per row at
/// most, sums of so many terms.
double plain_double_radius(const ExactRow& attended, double sm_scale, Index d_qk, Index rows) {
  const double terms = static_cast<double>(rows + 2);
  const double score_max = attended.score_magnitude_max;
  const double score_error =
      sm_scale * gamma(static_cast<double>(d_qk + 4)) * attended.absolute_dot_max + 4 * u * score_max;
  const double weight_error = 2 * score_error + 8 * u * (terms + 1) + 4 * u * score_max;
  return 1.01 * attended.value_norm_max * (2 * weight_error + 4 * gamma(terms + 4)) + attended.error_radius;
}

double PathJudgement::underflow() const { return split.is_kept.empty() || tail.count == 0 ? 0 : 1e-290; }

PathJudgement judge_path(const AttentionProblem& problem, const PathTraits& traits, const ExactRow& exact,
                         const std::vector<RowIndex>& exact_order, const PathRow& answer, const Rows& values,
                         const ValueBalls& balls, const StoredCache* stored, Index head, Index query) {
  const Index d_v = values.width();
  PathJudgement judgement{
      &problem,
      &traits,
      &exact,
      &answer,
      &exact_order,
      split_row(exact, values, balls, answer.kept, answer.reachable, traits.has_pool, answer.absent_local, answer.o),
      PartSums(d_v),
      PartSums(d_v)};
  const RowSplit& split = judgement.split;
  judgement.tail.add(split.lost_replay);
  judgement.tail.add(split.lost_pool);
  judgement.tail.add(split.lost_selection);
  judgement.reach.add(split.kept);
  judgement.reach.add(split.lost_selection);
  PartSums there = judgement.reach;
  there.add(split.lost_pool);
  PartSums everything = there;
  everything.add(split.lost_replay);

  judgement.delta = judgement.tail.z_of_row() / exact.z;
  judgement.delta_replay = split.lost_replay.z_of_row() / exact.z;
  judgement.delta_pool = split.lost_pool.z_of_row() / exact.z;
  judgement.delta_selection = split.lost_selection.z_of_row() / exact.z;
  if (judgement.delta > 0)
    judgement.delta_relative_radius =
        1.01 * (judgement.tail.rho / judgement.tail.z.value() + exact.rho_mean + 3 * u + second_order(exact));

  judgement.output_error = truncation_error(judgement.tail, split.kept, everything, exact, answer.o);
  judgement.output_error_replay = truncation_error(split.lost_replay, there, everything, exact, answer.o);
  judgement.output_error_pool = truncation_error(split.lost_pool, judgement.reach, there, exact, answer.o);
  judgement.output_error_selection =
      truncation_error(split.lost_selection, split.kept, judgement.reach, exact, answer.o);

  const std::vector<double> o_kept = split.kept.mean();
  if (stored == nullptr) {
    judgement.arithmetic_error = distance(o_kept, answer.o);
  } else {
    judgement.stored = stored_row(problem, *stored, exact, head, query, answer.kept);
    judgement.arithmetic_error = distance(judgement.stored->row.o, answer.o);
    // against õ as it was answered, so only the ruler's own radii and the norm's rounding count
    const double norm_rounding = (static_cast<double>(d_v) + 2) * u;
    const double error = distance(exact.o, answer.o);
    judgement.output_error = {error, exact.error_radius + norm_rounding * error};
    const double store_error = distance(o_kept, answer.o);
    judgement.output_error_store = {store_error,
                                    mean_radius(split.kept, o_kept, exact, answer.o) + norm_rounding * store_error};
  }
  const double attended_radius =
      judgement.stored ? judgement.stored->row.error_radius : mean_radius(split.kept, o_kept, exact, answer.o);
  judgement.kept_radius = attended_radius + (static_cast<double>(d_v) + 4) * u * judgement.arithmetic_error;
  judgement.arithmetic_radius = plain_double_radius(judgement.stored ? judgement.stored->row : exact, problem.sm_scale,
                                                    problem.d_qk(), static_cast<Index>(answer.kept.size()));
  if (!judgement.is_weighed())
    for (MeasuredError* error : {&judgement.output_error, &judgement.output_error_store, &judgement.output_error_replay,
                                 &judgement.output_error_pool, &judgement.output_error_selection})
      error->radius = std::numeric_limits<double>::infinity();
  return judgement;
}

}  // namespace lacuna
