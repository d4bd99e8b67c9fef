// The weights of an encoder-decoder, and random ones.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/encoder_decoder/description.hpp"
#include "core/model/weights.hpp"

namespace lacuna {

struct EncoderLayerWeights {
  NormWeights attention_norm;
  ProjectedWeights attention;
  NormWeights feed_forward_norm;
  FeedForwardWeights feed_forward;
};

struct CrossDecoderLayerWeights {
  NormWeights self_norm;
  ProjectedWeights self_attention;
  NormWeights cross_norm;
  ProjectedWeights cross_attention;
  NormWeights feed_forward_norm;
  FeedForwardWeights feed_forward;
};

struct EncoderDecoderWeights {
  Matrix embedding;  // E [vocabulary, d_model]
  std::vector<EncoderLayerWeights> encoder;
  std::vector<CrossDecoderLayerWeights> decoder;

  /// Independent N(0, 1 / fan in), E of N(0, 1 / d_model); score_std as in RandomModel.
  static EncoderDecoderWeights random(const EncoderDecoderDescription& model, double score_std, std::uint64_t seed);
  /// InputError naming the weight whose shape is not that of the description; attention weights are checked by their
  /// mechanisms.
  void check(const EncoderDecoderDescription& model) const;
};

}  // namespace lacuna
