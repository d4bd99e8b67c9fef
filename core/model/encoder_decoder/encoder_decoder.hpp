// A described encoder-decoder at work (description.hpp has the equations).
//
// `encode` takes the whole source at once, since every source token sees every other. `start` makes the keys and values
// of the cross-attention from the memory, once. `append` is one code path for a whole target, chunks of it and decode,
// as in Decoder: a target token's hidden state is a function of the source and of the target up to it, in a fixed order
// of operations.
#pragma once

#include <span>
#include <vector>

#include "core/model/encoder_decoder/weights.hpp"
#include "core/model/generation.hpp"
#include "core/model/residual.hpp"

namespace lacuna {

/// What the decoder keeps between target tokens. A value: a copy is a snapshot.
struct EncoderDecoderCache {
  Index tokens = 0;                         ///< of the target, appended so far
  std::vector<LayerCache> self_attention;   // [decoder layers]; grow with the target
  std::vector<LayerCache> cross_attention;  // [decoder layers]; rows of the memory, all of them from the start on
};

class EncoderDecoder {
 public:
  EncoderDecoder(EncoderDecoderDescription model, EncoderDecoderWeights weights);

  const EncoderDecoderDescription& model() const { return model_; }

  /// The memory [source tokens, d_model]. InputError for an empty source and for a token outside the vocabulary.
  std::vector<double> encode(std::span<const Index> source) const;
  /// Before the first target token; memory as `encode` returned it, which is not read again.
  EncoderDecoderCache start(std::span<const double> memory) const;
  /// Appends target tokens at positions cache.tokens, ...; returns their hidden states [tokens, d_model] behind the
  /// last layer. InputError for a token outside the vocabulary, before anything is appended.
  std::vector<double> append(std::span<const Index> tokens, EncoderDecoderCache& cache) const;
  /// hidden [d_model], of one target token; returns the scores of the next one [vocabulary].
  std::vector<double> logits(std::span<const double> hidden) const;
  /// The target of a source, token by token behind the start token, which is not among the returned ones.
  std::vector<Index> generate(std::span<const Index> source, const Generation& options) const;

 private:
  std::vector<double> embed(Index token, Index position) const;
  void check_tokens(std::span<const Index> tokens) const;
  /// h [tokens][d_model] <- one layer of the encoder.
  void encode_layer(Index place, std::vector<std::vector<double>>& h) const;
  /// h [d_model] of the target token at cache.tokens <- one layer of the decoder.
  void decode_layer(Index place, EncoderDecoderCache& cache, std::vector<double>& h) const;

  EncoderDecoderDescription model_;
  EncoderDecoderWeights weights_;  // without those of the attention, which the mechanisms hold
  Residual residual_;
  std::vector<ProjectedAttention> encoder_;          // [encoder layers]
  std::vector<ProjectedAttention> self_attention_;   // [decoder layers]
  std::vector<ProjectedAttention> cross_attention_;  // [decoder layers]
};

}  // namespace lacuna
