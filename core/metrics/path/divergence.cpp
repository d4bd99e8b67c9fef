// How far the attention distribution moved, over the visible keys and the sink. P are the exact weights, Q those of the
// path: exp(s_j) / Z_S on the attended keys and the sink, 0 elsewhere (s_j from the rows as the path keeps them). Each
// is its own sum over the keys:
//
//   total_variation   TV(P, Q)  = 1/2 sum_j |p_j - q_j|
//   kl_approx_exact   KL(Q || P) = sum_j p_j phi(x_j) ,  phi(x) = x log x - x + 1 ,  x_j = q_j / p_j       (nat)
//   kl_exact_approx   KL(P || Q) = sum_j p_j psi(x_j) ,  psi(x) = x - 1 - log x ,    +inf where p_j > 0 = q_j
//
// phi and psi are >= 0 and vanish at 1, so nothing cancels and P against itself is exactly 0. For a pure truncation
// TV = delta and KL(Q || P) = log1p(Z_T / Z_S): tests hold these sums against those forms.
#include <cmath>
#include <limits>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x log x - x + 1 at x = 1 + y
double phi(double y) {
  if (std::abs(y) < 1e-3) return y * y * (0.5 - y * (1.0 / 6 - y * (1.0 / 12 - y * (1.0 / 20 - y / 30))));
  return y <= -1 ? 1 : (1 + y) * std::log1p(y) - y;
}

/// x - 1 - log x at x = 1 + y
double psi(double y) {
  if (std::abs(y) < 1e-3) return y * y * (0.5 - y * (1.0 / 3 - y * (1.0 / 4 - y * (1.0 / 5 - y / 6))));
  return y <= -1 ? kInfinity : y - std::log1p(y);
}

/// Calls f(p, q) for every visible key and the sink.
template <class F>
void for_each_outcome(const PathJudgement& row, F&& f) {
  const ExactRow& exact = *row.exact;
  const double z_kept = row.stored ? row.stored->row.z : row.split.kept.z.value();
  Index kept = 0;  // how many kept keys came so far
  for (Index j = 0; j < exact.visible; ++j) {
    double e = 0;
    if (row.split.is_kept[j]) e = row.stored ? row.stored->row.e[kept++] : exact.e[j];
    f(exact.p(j), z_kept > 0 ? e / z_kept : 0.0);
  }
  const double sink_e = row.stored ? row.stored->row.sink_e : exact.sink_e;
  if (exact.has_sink) f(exact.sink_e / exact.z, z_kept > 0 ? sink_e / z_kept : 0.0);
}

bool attended_nothing(const PathJudgement& row) { return !(row.split.kept.z.value() > 0); }

double total_variation(const PathJudgement& row) {
  if (attended_nothing(row)) return 1;
  CompensatedSum sum;
  for_each_outcome(row, [&](double p, double q) { sum.add(std::abs(p - q)); });
  return sum.value() / 2;
}

double kl_approx_exact(const PathJudgement& row) {
  if (attended_nothing(row)) return kInfinity;
  CompensatedSum sum;
  for_each_outcome(row, [&](double p, double q) {
    if (p > 0) sum.add(p * phi((q - p) / p));
  });
  return sum.value();
}

double kl_exact_approx(const PathJudgement& row) {
  if (attended_nothing(row)) return kInfinity;
  CompensatedSum sum;
  bool lost = false;
  for_each_outcome(row, [&](double p, double q) {
    if (p > 0 && q == 0) lost = true;
    if (p > 0 && q > 0) sum.add(p * psi((q - p) / p));
  });
  return lost ? kInfinity : sum.value();
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
