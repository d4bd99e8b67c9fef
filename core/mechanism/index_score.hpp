// The score of a lightning indexer (DeepSeek-V3.2-Exp, inference/model.py), in its plain form:
//
//   I(t, j) = sum_h w_h(t) max( q_h(t) . k_j , 0 )
//
// Weights are signed, so the score can be negative, and it is exactly 0 where every head is rectified. This form is for
// tests and tools; paths score through the kernels.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/error.hpp"

namespace lacuna {

/// q [heads, d], w [heads], k [d].
inline double index_score(std::span<const double> q, std::span<const double> w, std::span<const double> k) {
  LACUNA_ASSERT(q.size() == w.size() * k.size());
  double score = 0;
  for (std::size_t h = 0; h < w.size(); ++h) {
    double product = 0;
    for (std::size_t c = 0; c < k.size(); ++c) product += q[h * k.size() + c] * k[c];
    score += w[h] * std::max(product, 0.0);
  }
  return score;
}

}  // namespace lacuna
