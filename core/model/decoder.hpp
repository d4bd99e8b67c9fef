// A described decoder at work (description.hpp has the equations). Prefill, chunks and decode are one code path:
// `append` takes any number of tokens and runs them one after the other through every layer, so that a token's hidden
// state is a function of the tokens up to it, in a fixed order of operations, whatever else is appended before or
// after.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/model/attend_layer.hpp"
#include "core/model/model_cache.hpp"
#include "core/model/residual.hpp"

namespace lacuna {

class Decoder {
 public:
  Decoder(ModelDescription model, ModelWeights weights);

  const ModelDescription& model() const { return model_; }
  /// The mechanism of the layer at that place; nullptr for a retention layer.
  const Mechanism* mechanism(Index place) const;

  /// Before the first token.
  ModelCache start() const;
  /// Appends tokens at positions cache.tokens, ...; returns their hidden states [tokens, d_model] behind the last
  /// layer. InputError for a token outside the vocabulary or a position without a learned embedding, before anything is
  /// appended.
  std::vector<double> append(std::span<const Index> tokens, ModelCache& cache, AttendLayer& attend) const;
  /// The same with exact attention.
  std::vector<double> append(std::span<const Index> tokens, ModelCache& cache) const;
  /// Appends as `append` does, and takes only the last `count` tokens through the layers behind the encoder; returns
  /// their hidden states [count, d_model]. The cache and they are those of `append`, to the bit, at
  ///
  ///   N L_enc + count L_dec   layer-tokens instead of   N (L_enc + L_dec)                                (1)
  ///
  /// (YOCO's early exit: Sun et al. 2024, section 3). UsageError for a model whose memory does not end with its encoder
  /// (description.hpp) and for a count below 0 or above the tokens; InputError as `append`.
  std::vector<double> append_last(std::span<const Index> tokens, Index count, ModelCache& cache,
                                  AttendLayer& attend) const;
  /// The same with exact attention.
  std::vector<double> append_last(std::span<const Index> tokens, Index count, ModelCache& cache) const;
  /// hidden [tokens, d_model], behind the last layer; returns the scores of each next token, [tokens, vocabulary].
  std::vector<double> logits(std::span<const double> hidden) const;

  // The steps of `append`, for whoever takes them in another order (layer_pass.hpp). Any number of tokens goes through
  // a layer's matrices together.

  /// InputError for a token outside the vocabulary or, from position `first` on, one without a learned embedding.
  void check_tokens(std::span<const Index> tokens, Index first) const;
  /// h_0 [d_model] of a token.
  std::vector<double> embed(Index token, Index position) const;
  /// What the layer's mixing of tokens reads of h [tokens, d_model]: x [tokens, d_model], normed where norms stand
  /// before the blocks.
  std::vector<double> attention_input(Index place, std::span<const double> h) const;
  /// What queries at `query_position` of an attention layer read, once their tokens are in the cache.
  LayerInputs attention_inputs(Index place, const ModelCache& cache, std::span<const QueryRows> queries,
                               std::span<const Index> query_position) const;
  /// What a retention layer makes of x [tokens, d_model], appending token after token to the layer's state.
  std::vector<double> retain(Index place, std::span<const double> x, ModelCache& cache) const;
  /// h [tokens, d_model] <- the residual sum with y [tokens, d_model], what the layer's mixing gave, then the layer's
  /// feed-forward.
  void finish_layer(Index place, std::span<const double> y, std::span<double> h) const;

 private:
  /// A layer's mixing of tokens: an attention mechanism, or retention.
  using Mixer = std::variant<std::unique_ptr<const Mechanism>, Retention>;

  static Mixer mixer_of(const LayerDescription& layer, AttentionWeights weights);
  /// What the layer's mixing of tokens makes of x [d_model], after appending it to the layer's cache.
  std::vector<double> mix(Index place, std::span<const double> x, ModelCache& cache, AttendLayer& attend) const;
  /// h [d_model] of the token at cache.tokens <- layers [first, end).
  void run_layers(Index first, Index end, ModelCache& cache, AttendLayer& attend, std::vector<double>& h) const;
  /// What a token leaves behind the encoder that does not pass through the layers there; h [d_model] as it leaves the
  /// encoder.
  void leave_memory(std::span<const double> h, ModelCache& cache) const;

  ModelDescription model_;
  ModelWeights weights_;  // without those of the attention, which the mixers hold
  Residual residual_;
  std::vector<Mixer> mixers_;
};

}  // namespace lacuna
