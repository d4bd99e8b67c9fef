// A quantile of independent values with the interval between two order statistics, for what correlated_quantiles must
// come to without correlation.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/statistics/quantile.hpp"

namespace lacuna {

inline Estimate independent_quantile(std::vector<double> values, double q) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto n = static_cast<std::int64_t>(values.size());
  std::sort(values.begin(), values.end());
  const QuantileRanks ranks = quantile_ranks(n, q);
  return {
      quantile(values, q),
      {ranks.lower < 1 ? -infinity : values[ranks.lower - 1], ranks.upper > n ? infinity : values[ranks.upper - 1]}};
}

}  // namespace lacuna
