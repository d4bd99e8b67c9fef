// The Transformer as it was published, an encoder and a decoder with cross-attention: Vaswani et al. 2017, sections 3.1
// to 3.5.
//
//   h_t  = scale E[token_t] + PE(t)                                            in both, scale = sqrt(d_model)      (1)
//   encoder   h <- LayerNorm(h + SelfAttention(h ; every source token))                                            (2)
//             h <- LayerNorm(h + FeedForward(h))                               behind the last layer: the memory   (3)
//   decoder   h <- LayerNorm(h + SelfAttention(h ; target tokens up to t))                                         (4)
//             h <- LayerNorm(h + CrossAttention(h ; every memory state))                                           (5)
//             h <- LayerNorm(h + FeedForward(h))                                                                   (6)
//   scores of the next target token = E h                                                                          (7)
//
// One embedding E for source, target and scores (section 3.4), positions PE of sinusoidal_positions.hpp, a start token
// before the target, norms behind the blocks. Attention is ProjectedAttention's, the blocks are a decoder's; the mask
// is what differs: in (2) every token sees every token, in (5) what is seen is the memory, whose keys and values are
// the same for every target token and are made once.
#pragma once

#include <string>
#include <vector>

#include "core/model/description.hpp"

namespace lacuna {

struct EncoderLayer {
  ProjectedConfig attention = {};
  FeedForwardConfig feed_forward = {};
};

struct CrossDecoderLayer {
  ProjectedConfig self_attention = {};
  ProjectedConfig cross_attention = {};
  FeedForwardConfig feed_forward = {};
};

struct EncoderDecoderDescription {
  std::string name = {};
  Index vocabulary = 0;
  Index d_model = 0;  ///< even
  double eps = 1e-5;  ///< of the layer norms
  double embedding_scale = 1;
  Index start_token = 0;  ///< stands before the target
  std::vector<EncoderLayer> encoder = {};
  std::vector<CrossDecoderLayer> decoder = {};

  /// UsageError naming the field.
  void check() const;
};

struct TransformerExtents {
  Index layers = 6;  ///< of the encoder, and of the decoder
  Index vocabulary = 37000;
  Index d_model = 512;
  Index heads = 8;  ///< a divisor of d_model
  Index feed_forward = 2048;
  bool attention_bias = false;
};

/// The model of the paper; the defaults are its base model (section 5.1, table 3), without biases in the attention as
/// in its equations.
EncoderDecoderDescription transformer_2017(const TransformerExtents& extents = {});

}  // namespace lacuna
