// The tail index by Hill's estimator (Annals of Statistics 3, 1975). Where P(X > x) ~ c x^-alpha, the k largest of n
// values over the next one, x_(n-k), are alike exponential in their logarithms:
//
//   1 / alpha^ = 1/k sum_{i=1..k} ln(x_(n-i+1) / x_(n-k)) ,   2 k alpha / alpha^ ~ chi^2 with 2k degrees            (1)
//
// exactly for a Pareto tail, which gives the interval. alpha <= 1: no mean exists; alpha <= 2: no variance, and the
// mean of a sample is ruled by its largest values.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// The rule for k: the square root of n, rounded down; few enough to lie in the tail, many enough for +- 2 / sqrt(k).
std::int64_t hill_tail_size(std::int64_t n);

/// alpha from the k largest of the positive values; NaN when there are not more than k of them, or fewer than two
/// distinct among the k + 1 largest.
Estimate hill_tail_index(std::vector<double> values, std::int64_t k, double confidence = kConfidence);

}  // namespace lacuna
