// Resampling of correlated rows, for statistics that have no formula of their own.
//
// One resample: sequences drawn with replacement, as many as there are (one sequence: itself); where there is only one,
// its positions are replaced by moving blocks of block_length() neighbours, drawn with replacement and cut at the end.
// With several sequences the positions of a drawn one stay as they are: drawing blocks as well would count the variance
// within sequences twice (Davison, Hinkley: Bootstrap Methods, 1997, section 3.8).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// Of the values of one resample, in no particular order.
using PooledStatistic = std::function<double(std::span<const double> values)>;

struct BootstrapEstimate {
  Estimate estimate;  ///< the sample's own value and the percentile interval
  double standard_error = std::numeric_limits<double>::quiet_NaN();
};

/// sequences[s][t]: a value per position in ascending order. No interval where nothing can be drawn differently. The
/// same values and seed give the same numbers.
BootstrapEstimate block_bootstrap(const std::vector<std::vector<double>>& sequences, const PooledStatistic& statistic,
                                  double confidence = kConfidence, std::int64_t resamples = 1000,
                                  std::uint64_t seed = 1);

}  // namespace lacuna
