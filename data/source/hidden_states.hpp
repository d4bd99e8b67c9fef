// Hidden states of a layer, as the mechanism sources feed them to attention: already normalised, of unit mean square,
// with neighbouring tokens alike, as in text.
//
//   g_t   = a g_{t-1} + sqrt(1 - a^2) noise_t ,   a = exp(-1 / topic_length)                                      (1)
//   b_t   = sqrt(topic_share) g_t + sqrt(1 - topic_share) noise'_t              common to the layers              (2)
//   x_t   = layer_similarity b_t + sqrt(1 - layer_similarity^2) noise''_t       of one layer                      (3)
//
// with independent N(0, 1) noise per channel. Channel 0 is the constant 1: hidden states of real models have channels
// that are nearly constant, and the aligned indexers weigh their heads by it (core/mechanism/index_alignment.hpp).
#pragma once

#include <span>
#include <vector>

#include "core/attention/rows.hpp"
#include "core/base/parameter.hpp"
#include "core/base/rng.hpp"

namespace lacuna {

struct HiddenStatesConfig {
  Index d_model = 0;
  double topic_length = 64;  ///< tokens
  double topic_share = 0.5;
  double layer_similarity = 0.9;

  static HiddenStatesConfig from(const Parameters& source);
};

/// "d_model", "topic_length", "topic_share", "layer_similarity".
std::vector<ParameterSpec> hidden_state_parameters();

class HiddenStates {
 public:
  HiddenStates(const HiddenStatesConfig& config, std::uint64_t seed, Index sequence, Index layer);
  /// x [d_model] of the next token, from position 0 on.
  void next(std::span<double> x);

 private:
  HiddenStatesConfig config_;
  CounterRng topic_noise_, token_noise_, layer_noise_;
  std::vector<double> topic_;  // [d_model]
  Index position_ = 0;
};

}  // namespace lacuna
