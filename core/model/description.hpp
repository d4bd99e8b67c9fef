// A decoder described by data: extents, norms, and per layer an attention mechanism and a feed-forward. Every model is
// one of these; nothing outside presets/ knows a model by its name.
//
//   h_0 = scale E[token] (+ P[position])                                                                (1)
//   before:  h <- h + attention(norm(h)) ,   h <- h + feed_forward(norm(h)) ,   logits = U norm(h_L)     (2)
//   after:   h <- norm(h + attention(h)) ,   h <- norm(h + feed_forward(h)) ,   logits = U h_L           (3)
//
// (2) is the pre-norm block of GPT-2 and Llama, (3) the post-norm block of Vaswani et al. 2017, section 3.1. Norms have
// gains, layer norms also shifts. U is the embedding E where the vocabulary map is tied.
//
// Layers are told apart by their labels, which ascend. A layer may read the rows of an earlier one (rows_of) and take
// over an earlier one's selection (selection_of). A selection is what paths make; the exact model reads every row.
//
// What a description leaves out: mixtures of experts (one dense feed-forward of the width that a token activates stands
// for them) and DeepSeek-V4's hyper-connections (one residual stream stands for them). Neither touches attention.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/mechanism/projected_attention.hpp"
#include "core/mechanism/retention_config.hpp"
#include "core/mechanism/shared_state_config.hpp"
#include "core/mechanism/sparse_mla.hpp"

namespace lacuna {

enum class NormKind { rms_norm, layer_norm };
enum class NormPlace { before, after };
/// Feed-forwards (feed_forward.hpp): gelu is x Phi(x), gelu_tanh the approximation of it that GPT-2 uses.
enum class FeedForwardKind { relu, gelu, gelu_tanh, swiglu };

struct FeedForwardConfig {
  FeedForwardKind kind = FeedForwardKind::swiglu;
  Index width = 0;    ///< hidden channels
  bool bias = false;  ///< of both projections; not with swiglu
};

using AttentionConfig = std::variant<ProjectedConfig, MlaConfig, SparseMlaConfig, SharedStateConfig, RetentionConfig>;

struct LayerDescription {
  Index label = 0;
  AttentionConfig attention = {};
  std::optional<Index> rows_of = {};       ///< label of the layer whose rows it reads; unset: its own, if it has any
  std::optional<Index> selection_of = {};  ///< label of the layer whose selection it takes over
  Index top_k = 0;                         ///< rows that the published model selects here; 0: it selects none here
  FeedForwardConfig feed_forward = {};

  Index d_model() const;
  /// Tokens whose single rows the layer reads, the query's own among them; 0: none.
  Index local_window() const;
  /// Makes rows that reach over the whole prefix (local rows and the state of a retention layer do not).
  bool owns_rows() const;
  /// Has index queries and weights of its own.
  bool owns_indexer() const;
};

/// Blocks of rows that one layer's indexer chooses, within which later layers with an indexer select.
struct CandidatePool {
  Index blocks = 0;
  Index block_size = 0;  ///< rows
  Index from_layer = 0;  ///< label
};

struct ModelDescription {
  std::string name = {};
  Index vocabulary = 0;
  Index d_model = 0;
  NormKind norm = NormKind::rms_norm;
  NormPlace norm_place = NormPlace::before;
  double eps = 1e-6;            ///< of the model's norms; mechanisms have their own
  Index learned_positions = 0;  ///< rows of a learned position embedding: the longest sequence; 0: none
  double embedding_scale = 1;
  bool tied_vocabulary = false;
  bool vocabulary_bias = false;
  std::vector<LayerDescription> layers = {};
  /// How many first layers make the global memory that the rest reads (V4.1's encoder, YOCO's self-decoder); 0: a plain
  /// decoder. Rows of the rest are made at most once, from what leaves the encoder.
  Index encoder_layers = 0;
  std::optional<CandidatePool> pool = {};

  /// Whether nothing behind the encoder keeps what a token leaves there, except the first of those layers, whose rows
  /// are made from what leaves the encoder (YOCO): no window, no state, no rows of later layers.
  bool memory_ends_with_encoder() const;
  /// Place of a label among the layers; InternalError where there is none.
  Index place_of(Index label) const;
  /// UsageError naming the field.
  void check() const;
};

}  // namespace lacuna
