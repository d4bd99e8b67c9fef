// Rank correlation of pairs: whether two quantities order the same rows alike.
//
// Spearman's rho is the correlation of the ranks, equal values sharing their mean rank. Kendall's tau_b is
//
//   (concordant - discordant) / sqrt((pairs - pairs tied in x) (pairs - pairs tied in y)) ,                        (1)
//
// counted in O(n log n) (Knight, JASA 61, 1966). Intervals by Fisher's z = artanh r, which is about normal with
// variance
//
//   (1 + rho^2 / 2) / (n - 3) for rho (Bonett, Wright: Psychometrika 65, 2000) ,                                   (2)
//   0.437 / (n - 4) for tau (Fieller, Hartley, Pearson: Biometrika 44, 1957; good to |tau| < 0.8).                 (3)
#pragma once

#include <span>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// Ranks from 1, equal values sharing their mean rank. [n] -> [n]
std::vector<double> mid_ranks(std::span<const double> values);

/// x [n], y [n] of independent pairs, none NaN. NaN where all x or all y are equal; no interval below five pairs; an
/// interval at r = 1 or -1 has width 0.
Estimate spearman(std::span<const double> x, std::span<const double> y, double confidence = kConfidence);
Estimate kendall(std::span<const double> x, std::span<const double> y, double confidence = kConfidence);

}  // namespace lacuna
