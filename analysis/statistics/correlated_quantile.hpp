// Intervals of quantiles and rates for rows that are not independent (correlated_mean.hpp).
//
// Quantile (Woodruff, JASA 47, 1952): the share of rows at or below the quantile xi is a mean, of the indicator
// [x <= xi], with a standard error e that correlated_mean knows; the ends are the sample's quantiles at q -+ t e, cut
// to [0, 1].
//
// Rate (Korn, Graubard: Survey Methodology 24, 1998): the interval of Clopper and Pearson for the number of independent
// trials that has the same standard error,
//
//   n* = p (1 - p) / e^2 (t_{n-1} / t_d)^2 , at most n, n the positions' rows and d the degrees of freedom of e     (1)
//
// and n itself where p is 0 or 1.
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
