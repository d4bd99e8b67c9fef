// A causal decoder, one layer at a time over a whole sequence: every token goes through layer l before layer l + 1
// starts.
//
//   append:      for t: for l:  h_t <- layer_l(h_t ; cache of the tokens up to t)                         (1)
//   layer pass:  for l: for t:  the same                                                                 (2)
//
// What a token reads in layer l is what the tokens up to it left in the caches of layers up to l, all of it made before
// in (2) as in (1); later tokens' rows are in the cache as well and are not seen, since attention reads rows up to the
// query's position. (2) gives what (1) gives, and between two layers all queries of a layer stand side by side as one
// attention problem, which is where an approximate path takes the exact one's place.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/each_index.hpp"
#include "core/model/decoder.hpp"

namespace lacuna {

class LayerPass {
 public:
  /// Embeds the tokens, which stand at positions 0, 1, ..., and stands before the first layer. The decoder outlives the
  /// pass. InputError as Decoder::append.
  LayerPass(const Decoder& decoder, std::span<const Index> tokens, EachIndex each = in_order);

  Index tokens() const { return static_cast<Index>(position_.size()); }
  /// The layer that comes next, all tokens of which are in the cache; model().layers.size() behind the last one.
  Index place() const { return place_; }
  bool done() const;
  /// Whether the next layer is an attention layer; a retention layer runs as it is.
  bool attends() const { return !done() && decoder_->mechanism(place_) != nullptr; }

  /// What every token asks the next layer, an attention layer.
  LayerInputs inputs() const { return decoder_->attention_inputs(place_, cache_, queries_, position_); }
  /// Its problem in double with a query at each of the ascending positions, or at every token.
  AttentionProblem problem(std::span<const Index> query_position) const;
  AttentionProblem problem() const { return problem(position_); }
  /// Through the next layer. o [tokens, h_q, d_v], what its attention gave; empty for a retention layer.
  void advance(std::span<const double> o);

  /// h [d_model] of a token behind the layers done so far.
  std::span<const double> hidden(Index token) const { return rows(hidden_, token, 1); }
  /// Behind the last layer: the cache from which the sequence goes on.
  const ModelCache& cache() const {
    LACUNA_ASSERT(done());
    return cache_;
  }

 private:
  /// Appends all tokens to the next layer's cache and makes its queries.
  void open_layer();
  /// Calls work(first, count) for consecutive blocks of tokens, which go through a layer's matrices together.
  void each_block_of_tokens(const std::function<void(Index first, Index count)>& work) const;
  /// Tokens [first, first + count) of x [tokens, d_model].
  std::span<const double> rows(const std::vector<double>& x, Index first, Index count) const {
    const Index d_model = decoder_->model().d_model;
    return std::span(x).subspan(first * d_model, count * d_model);
  }

  const Decoder* decoder_;
  EachIndex each_;
  ModelCache cache_;
  std::vector<double> hidden_;      // [tokens, d_model]
  std::vector<double> input_;       // [tokens, d_model] of the next layer's mixing of tokens
  std::vector<Index> position_;     // [tokens]
  std::vector<QueryRows> queries_;  // [tokens]; empty in a retention layer
  Index place_ = 0;
};

}  // namespace lacuna
