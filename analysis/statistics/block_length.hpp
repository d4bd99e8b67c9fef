// How many neighbouring positions a block must span for blocks to be nearly independent.
//
// The block length of Politis and White (Econometric Reviews 23, 2004, corrected by Patton, Politis, White, 28, 2009).
// R(k) is the autocovariance at lag k; m the smallest lag behind which K = max(5, sqrt(log10 n)) autocorrelations in a
// row lie below 2 sqrt(log10(n) / n); M = 2 m, at most sqrt(n) + K; lambda(t) = 1 up to t = 1/2, then 2 (1 - t):
//
//   G = sum_{|k| <= M} lambda(|k| / M) |k| R(k) ,   g = sum_{|k| <= M} lambda(|k| / M) R(k)                        (1)
//   length = ceil((2 G^2 / (4/3 g^2))^(1/3) n^(1/3)) , within [1, min(3 sqrt n, n / 3)]                            (2)
//
// which minimises the mean squared error of the variance of a mean.
#pragma once

#include <cstdint>
#include <span>

namespace lacuna {

/// (2) for values in the order of their positions; 1 for fewer than 8 values, or equal ones.
std::int64_t block_length(std::span<const double> series);

}  // namespace lacuna
