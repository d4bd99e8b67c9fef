// How far the attention distribution moved, over the visible keys and the sink. P are the exact weights, Q those of the
// path: exp(s_j - lse_S) on the attended keys and the sink (s_j from the rows as the path keeps them), 0 elsewhere.
// With L_j = log(q_j / p_j) on the attended keys, each is its own sum over the keys:
//
//   total_variation   TV(P, Q)   = 1/2 [ sum_S q_j |1 - e^-L_j| + sum_T p_j ]
//   kl_approx_exact   KL(Q || P) = sum_S q_j (L_j - 1 + e^-L_j) + sum_T p_j                                  (nat)
//   kl_exact_approx   KL(P || Q) = sum_S p_j (e^L_j - 1 - L_j) ,   +inf where an omitted key has weight      (nat)
//
// The terms q_j - p_j, which sum to 0, are added so that every summand is >= 0 and vanishes with L_j: nothing cancels,
// and P against itself is exactly 0. For a pure truncation L = log1p(Z_T / Z_S) on every attended key, TV = delta and
// KL(Q || P) = L: tests hold these sums against those forms.
#include <cmath>
#include <limits>

#include "core/metrics/expm1_minus.hpp"
#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool attended_nothing(const PathJudgement& row) { return !(row.split.kept.z.value() > 0); }

/// log(Z / Z_S) of a pure truncation.
double log_truncation(const PathJudgement& row) {
  const PartSums& kept = row.split.kept;
  if (kept.log_scale == 0) return std::log1p(row.tail.z_of_row() / kept.z.value());
  return std::log(row.exact->z) - (kept.log_scale + std::log(kept.z.value()));
}

/// Calls f(p, q, L) for every attended key and the sink.
template <class F>
void for_each_attended(const PathJudgement& row, F&& f) {
  const ExactRow& exact = *row.exact;
  const std::vector<RowIndex>& kept = row.answer->kept;
  if (row.stored) {
    const ExactRow& stored = row.stored->row;
    for (std::size_t i = 0; i < kept.size(); ++i)
      f(exact.p(kept[i]), stored.p(static_cast<Index>(i)),
        (stored.s[i] - stored.log_sum_exp) - (exact.s[kept[i]] - exact.log_sum_exp));
    if (exact.has_sink) f(exact.sink_e / exact.z, stored.sink_e / stored.z, exact.log_sum_exp - stored.log_sum_exp);
    return;
  }
  const double moved = log_truncation(row);
  const double z = row.split.kept.z.value();
  const double scale = row.split.kept.log_scale;
  const auto weight = [&](double e, double s) { return (scale == 0 ? e : std::exp(s - (exact.m + scale))) / z; };
  for (const RowIndex j : kept) f(exact.p(j), weight(exact.e[j], exact.s[j]), moved);
  if (exact.has_sink) f(exact.sink_e / exact.z, weight(exact.sink_e, exact.sink_logit), moved);
}

double total_variation(const PathJudgement& row) {
  if (attended_nothing(row)) return 1;
  CompensatedSum sum;
  for_each_attended(row, [&](double, double q, double moved) {
    if (q > 0) sum.add(q * std::abs(std::expm1(-moved)));
  });
  sum.add(row.delta);
  return sum.value() / 2;
}

double kl_approx_exact(const PathJudgement& row) {
  if (attended_nothing(row)) return kInfinity;
  CompensatedSum sum;
  for_each_attended(row, [&](double, double q, double moved) {
    if (q > 0) sum.add(q * expm1_minus(-moved));
  });
  sum.add(row.delta);
  return sum.value();
}

double kl_exact_approx(const PathJudgement& row) {
  if (attended_nothing(row) || row.delta > 0) return kInfinity;
  CompensatedSum sum;
  for_each_attended(row, [&](double p, double, double moved) {
    if (p > 0) sum.add(p * expm1_minus(moved));
  });
  return sum.value();
}

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "total_variation",
         .units = "1",
         .long_name = "total variation distance of the attention weights, 1/2 sum |p - q|",
         .evaluate = total_variation}) &&
    PathMetricRegistry::instance().add(
        {.name = "kl_approx_exact",
         .units = "nat",
         .long_name = "Kullback-Leibler divergence sum q log(q/p) of the path's attention weights q from the exact p",
         .evaluate = kl_approx_exact}) &&
    PathMetricRegistry::instance().add(
        {.name = "kl_exact_approx",
         .units = "nat",
         .long_name = "Kullback-Leibler divergence sum p log(p/q) of the exact attention weights p from the path's q; "
                      "+inf where an omitted key has weight",
         .evaluate = kl_exact_approx});

}  // namespace
}  // namespace lacuna
