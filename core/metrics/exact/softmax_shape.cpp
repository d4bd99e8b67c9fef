// How concentrated the exact softmax is. A sink logit counts as one more outcome.
//   entropy        H = -sum_j p_j log p_j = lse - sum_j p_j s_j                              (nat)
//   effective keys 1 / sum_j p_j^2
#include <cmath>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

void entropy(const ExactProfile& profile, std::span<const std::int64_t>, std::span<double> out) {
  const ExactRow& row = *profile.row;
  CompensatedSum sum;  // of -p log p, each term >= 0: nothing cancels
  const double log_z = std::log(row.z);
  for (Index j = 0; j < row.visible; ++j) sum.add(row.p(j) * (log_z - (row.s[j] - row.m)));
  if (row.has_sink && row.sink_e > 0) sum.add(row.sink_e / row.z * (log_z - std::log(row.sink_e)));
  out[0] = std::max(sum.value(), 0.0);
}

void effective_keys(const ExactProfile& profile, std::span<const std::int64_t>, std::span<double> out) {
  const ExactRow& row = *profile.row;
  CompensatedSum sum;
  for (Index j = 0; j < row.visible; ++j) sum.add_product(row.p(j), row.p(j));
  if (row.has_sink) sum.add_product(row.sink_e / row.z, row.sink_e / row.z);
  out[0] = 1 / sum.value();
}

const bool registered =
    ExactMetricRegistry::instance().add({.name = "entropy",
                                         .units = "nat",
                                         .long_name = "entropy of the exact attention weights, sink included",
                                         .evaluate = entropy}) &&
    ExactMetricRegistry::instance().add({.name = "effective_keys",
                                         .units = "1",
                                         .long_name = "1 / sum of squared exact attention weights, sink included",
                                         .evaluate = effective_keys});

}  // namespace
}  // namespace lacuna
