// Sample quantiles, and intervals for the quantiles of whatever distribution the sample came from.
//
// Of n independent values, the number B that lie at or below the q-quantile xi of a continuous distribution is
// binomial(n, q), whatever the distribution. With the order statistics x_(1) <= ... <= x_(n)
//
//   P(x_(l) <= xi <= x_(u)) >= P(l <= B <= u - 1)                                                                  (1)
//
// (David, Nagaraja: Order Statistics, 3rd ed., section 7.1). l is the largest rank with P(B < l) <= alpha / 2, u the
// smallest with P(B >= u) <= alpha / 2; with x_(0) = -inf and x_(n+1) = inf: a sample that is too small for one end has
// no finite one. The p99 of 95 % confidence has no finite upper end below n = 368.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// The q-quantile by linear interpolation between order statistics at (n - 1) q (numpy's default); NaN when empty.
/// Values may be infinite, not NaN.
double quantile(std::vector<double> values, double q);

/// The ranks l in [0, n] and u in [1, n + 1] of (1).
struct QuantileRanks {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};
QuantileRanks quantile_ranks(std::int64_t n, double q, double confidence = kConfidence);

}  // namespace lacuna
