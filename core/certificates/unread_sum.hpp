// The exponential sum of keys that were not read, from the summary of their block.
//
// Let a block hold n keys, of which some were read, with scores s_j = sm q . k_j; q below is the query times sm. Its
// box [k_min, k_max], and the ball of radius r around the mean k̄ of its keys, hold every key that was not read too:
//   low  = max( sum_c min(q_c kmin_c, q_c kmax_c) , q . k̄ - ||q|| r )
//   high = min( sum_c max(q_c kmin_c, q_c kmax_c) , q . k̄ + ||q|| r ) ,   low <= s_j <= high                    (1)
// and the mean score of the t keys that were not read follows from that of all and from those that were read:
//   s̄ = ( n q . k̄ - sum_{j read} s_j ) / t .                                                                    (2)
// exp is convex: on [low, high] it lies below its chord, and a mean of values is no less than exp of the mean, so
//   t e^s̄ <= sum_{j unread} e^{s_j} <= t [ (high - s̄) e^low + (s̄ - low) e^high ] / (high - low) .               (3)
// The right-hand side is never above t e^high, which box or ball alone would give.
//
// Sources of (1): Tang et al., "Quest", ICML 2024, section 3.2, and Cauchy-Schwarz; of (3): Jensen's inequality and its
// upper companion (Edmundson 1956, Madansky 1959).
//
// Rounding. Every sum over channels in (1) and (2) is one of products that are at most A = sum_c |q_c| max(|kmin_c|,
// |kmax_c|) together, the mean k̄ included, which is itself within gamma_n of a mean; so each is within
//   sigma = 1.01 gamma_{d+n+12} A + 2^-600                                                                      (4)
// of its value. low goes down and high up by sigma, s̄ enters (3) raised on the right and lowered on the left; the right
// grows with high and s̄ and falls with low, so that it stays above.
#pragma once

#include <vector>

#include "core/certificates/block_summaries.hpp"
#include "core/certificates/log_sum.hpp"

namespace lacuna {

/// Equation (1), and q . k̄.
struct BlockScores {
  double low;          ///< no key scores less
  double high;         ///< no key scores more
  double mean;         ///< q . k̄
  double mean_radius;  ///< (4)
};

/// q [d_qk], times sm_scale; `count` keys in the block.
BlockScores block_scores(const std::vector<double>& q, const BlockSummary& block, Index count);

/// Keys of the block that were read: their number, and the sum of their scores within its radius.
struct ReadKeys {
  Index count = 0;
  double sum = 0;
  double magnitude = 0;  ///< sum |s_j|
  double radius = 0;     ///< of `sum`, as an exact sum of computed scores
};

/// Equation (3) for the keys of the block, `count` in all, that were not read; at least one.
LogSum unread_sum(const BlockScores& scores, Index count, const ReadKeys& read);

}  // namespace lacuna
