// Rank correlation of pairs: whether two quantities order the same rows alike. Spearman's rho is the correlation of the
// ranks, equal values sharing their mean rank.
#pragma once

#include <span>
#include <vector>

namespace lacuna {

/// Ranks from 1, equal values sharing their mean rank. [n] -> [n]
std::vector<double> mid_ranks(std::span<const double> values);

/// x [n], y [n], none NaN. NaN where all x or all y are equal.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace lacuna
