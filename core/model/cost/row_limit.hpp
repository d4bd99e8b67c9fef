// How many of the visible rows are read, and the sum of that over a whole prefill.
//
// With n visible rows a top-k, a window or a candidate pool of B blocks of R rows reads, c being k, w or B R,
//
//   rows(n) = n ,  n <= c ;    rows(n) = c - ((-n) mod R) ,  n > c                                      (1)
//
// R = 1 for a top-k and a window. A pool always holds the newest block, which is incomplete by (-n) mod R rows. Over
// the first n rows, with n - c = a R + s and 0 <= s < R where n > c,
//
//   sum(n) = n (n + 1) / 2 ,                                                              n <= c
//          = c (c + 1) / 2 + c (n - c) - a R (R - 1) / 2 - s R + s (s + 1) / 2 ,          n > c         (2)
//
// Of tokens t = 1 .. N, r to a row, those with q = floor(t / r) see q rows:
//
//   sum over t = r sum(q_N - 1) + (N - r q_N + 1) rows(q_N) ,   q_N = floor(N / r)                      (3)
#pragma once

#include <cstdint>
#include <limits>

namespace lacuna {

struct RowLimit {
  using Index = std::int64_t;
  static constexpr Index kUnlimited = std::numeric_limits<Index>::max();

  Index most = kUnlimited;  ///< c: a multiple of block_size
  Index block_size = 1;     ///< R

  /// Equation (1).
  Index rows(Index n) const;
  /// Equation (2).
  Index sum(Index n) const;
  /// Equation (3).
  Index sum_over_tokens(Index tokens, Index ratio) const;
};

}  // namespace lacuna
