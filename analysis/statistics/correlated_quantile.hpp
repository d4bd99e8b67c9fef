// Intervals of quantiles and rates for rows that are not independent (correlated_mean.hpp).
//
// The share of rows at or below the quantile xi (Woodruff, JASA 47, 1952), or with an event, is a mean p whose standard
// error e correlated_mean knows: that of its interval, or `within` where that one is 0 by chance. That many independent
// trials would have the same error (Korn, Graubard: Survey Methodology 24, 1998):
//
//   n* = p (1 - p) / e^2 (t_{n-1} / t_d)^2 , from 1 to n, n the rows and d the degrees of freedom of e             (1)
//
// and n itself where e is 0. Of a rate, the interval is that of Clopper and Pearson for n* trials (rate.hpp). Of a
// quantile, the ends have the ranks of n* values (quantile.hpp), rank r of n* taken as rank (r - 1/2) n / n* + 1/2 of
// n.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/statistics/correlated_mean.hpp"
#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// A measured row and where it lies. `position` counts within the sequence.
struct RowPlace {
  std::int32_t sequence = 0;
  std::int32_t position = 0;
};

/// Sums of `value` over the rows of each position: places [row], values [row].
std::vector<std::vector<PositionSums>> sum_per_position(const std::vector<RowPlace>& places,
                                                        const std::vector<double>& values);

/// Several quantiles of the same rows, each in (0, 1), with intervals; values may be infinite, not NaN.
std::vector<Estimate> correlated_quantiles(const std::vector<RowPlace>& places, const std::vector<double>& values,
                                           const std::vector<double>& q, double confidence = kConfidence);

/// The share of rows for which an event happened: events [row] are 0 or 1, or 1/2 for half of one.
Estimate correlated_rate(const std::vector<RowPlace>& places, const std::vector<double>& events,
                         double confidence = kConfidence);

}  // namespace lacuna
