// The mean of rows that are not independent: neighbouring queries see almost the same keys, heads and layers of one
// query more so, and all rows of a sequence share its text.
//
// Rows are summed per position (`PositionSums`), over heads, layers and trials, so that only the correlation between
// positions and the one within sequences are left. With the mean R = sum of sums / sum of counts = x / n and residuals
// r_st = sum_st - R count_st (the linear form of a ratio),
//
//   within one sequence of T positions, from u_t, which is r_t without the polynomial in t of P coefficients that fits
//   it best: what follows from the position alone (a late query has more keys to omit) would be there again in other
//   text, and is no error of the mean. P = T / 50, between 1 (the mean) and 4 (a cubic). The variance of sum_t r_t is
//   that of moving blocks of length l,
//     V_s = T^2 l / ((T - l + 1)(T - P l)) sum_j (mean of block j of u)^2                                          (1)
//   which is what a moving-block bootstrap (Kuensch, Annals of Statistics 17, 1989) converges to with many resamples,
//   with the factor T / (T - P l) that makes it unbiased for independent values (for P = 1 these are overlapping batch
//   means: Meketon, Schmeiser, WSC 1984). l = 2 b - 1, at most T / (2 P + 1), b the block_length() of u: b minimises
//   the mean squared error of V and leaves V too small on average, which for an interval is the worse error; 2 b - 1
//   halves that;
//
//   across S >= 2 sequences, V = S / (S - 1) sum_s (sum_t r_st)^2                                                  (2)
//   which is what resampling whole sequences (the cluster bootstrap) converges to, times S / (S - 1).
//
// standard errors: within = sqrt(sum_s V_s) / n, across = sqrt(V) / n. The first is about more text of the same
// sequences, the second about further sequences, and it contains the first. The interval takes `across` and S - 1
// degrees of freedom of Student's t where there are several sequences (few: wide, and rightly so), `within` and
// 1.5 (T / l - P) degrees where there is one.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// The rows of one position of one sequence: the sum of their values and how many there are (0: none was measured).
struct PositionSums {
  double sum = 0;
  double count = 0;
};

struct CorrelatedMean {
  double value = std::numeric_limits<double>::quiet_NaN();
  double within = std::numeric_limits<double>::quiet_NaN();  ///< standard error, further positions of these sequences
  double across = std::numeric_limits<double>::quiet_NaN();  ///< standard error, further sequences; NaN with only one
  double degrees = 0;                                        ///< of freedom of the interval
  std::int64_t block = 0;                                    ///< the longest block length of a sequence
  Interval interval;

  /// The one that the interval takes: `across`, or `within` of a single sequence.
  double standard_error() const;
};

/// sums[s][t]: sequence s, position t in ascending order. NaN throughout where no row was measured; no interval where
/// the rows lie at a single position.
CorrelatedMean correlated_mean(const std::vector<std::vector<PositionSums>>& sums, double confidence = kConfidence);

}  // namespace lacuna
