// The next token from its scores.
//
//   p_i = exp((z_i - max z) / T) / sum_k exp((z_k - max z) / T)                                          (1)
//   the first i with p_0 + ... + p_i > u ,   u uniform in (0, 1)                                         (2)
//
// At temperature 0 it is the token of the highest score, the lowest index among equals. u is a pure function of the
// seed and the position of the token that is drawn, so that a sequence can be taken up again anywhere.
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/rows.hpp"

namespace lacuna {

struct Sampling {
  double temperature = 0;  ///< T, at least 0
  std::uint64_t seed = 0;
};

/// logits [vocabulary] of the token at `position`. UsageError for a temperature below 0, InputError for a score that is
/// NaN or infinite.
Index sample_token(std::span<const double> logits, const Sampling& sampling, Index position);

}  // namespace lacuna
