// The standard error of a mean by resampling, for what correlated_mean's formulas must come to with many resamples.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analysis/statistics/block_length.hpp"
#include "analysis/statistics/mean.hpp"

namespace lacuna {

/// One resample: of several sequences, as many whole ones drawn with replacement; of one, moving blocks of
/// block_length() neighbours, drawn with replacement and cut at the end (Davison, Hinkley: Bootstrap Methods, 1997).
inline double resampled_error_of_mean(const std::vector<std::vector<double>>& sequences, int resamples) {
  std::mt19937_64 random(1);
  std::vector<double> means;
  for (int r = 0; r < resamples; ++r) {
    std::vector<double> values;
    if (sequences.size() > 1) {
      for (std::size_t s = 0; s < sequences.size(); ++s) {
        const std::vector<double>& drawn = sequences[random() % sequences.size()];
        values.insert(values.end(), drawn.begin(), drawn.end());
      }
    } else {
      const std::vector<double>& only = sequences.front();
      const auto length = static_cast<std::size_t>(block_length(only));
      while (values.size() < only.size()) {
        const auto start = only.begin() + static_cast<std::ptrdiff_t>(random() % (only.size() - length + 1));
        values.insert(values.end(), start, start + static_cast<std::ptrdiff_t>(length));
      }
      values.resize(only.size());
    }
    means.push_back(mean(values));
  }
  const double centre = mean(means);
  double squares = 0;
  for (const double x : means) squares += (x - centre) * (x - centre);
  return std::sqrt(squares / (static_cast<double>(means.size()) - 1));
}

}  // namespace lacuna
