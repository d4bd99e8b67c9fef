// An attention mechanism: what a token's hidden state becomes before attention (rows of a cache, queries, index
// vectors), and what the attended output becomes after it. The attention in between is the same for all of them.
//
//   x_t ── append ──> rows of the cache            one token, or a group of tokens, or both kinds
//   x_t ── query ───> q, index q, index weights    -> attention over the cache, exact or approximate -> o
//   o   ── output ──> y_t
//
// Everything is a function of hidden states and absolute positions, in an order of operations that is the same for a
// token alone and among others: prefill, chunked prefill and decode give the same bits.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/problem.hpp"

namespace lacuna {

/// Extents of what a mechanism gives to attention.
struct MechanismShape {
  Index d_model = 0;
  Index h_q = 0;
  Index h_kv = 0;
  Index d_qk = 0;
  Index d_v = 0;
  bool shared_kv = false;  ///< the first d_v channels of a key row are its value
  bool has_rows = true;    ///< false: a layer that reads local rows only, or another layer's cache
  Index ratio = 1;         ///< tokens per cached row
  Index local_window = 0;  ///< rows of the last so many tokens are read beside the cache; 0: none
  Index index_heads = 0;   ///< 0: no indexer of its own
  Index d_index = 0;
  double sm_scale = 1;
  std::vector<double> sink_logit = {};  ///< [h_q], or empty
};

/// Tokens of a group that is not complete yet, and what overlaps into the next one (compressor.hpp).
struct CompressorState {
  std::vector<double> values;  // [slots, width]
  std::vector<double> logits;  // [slots, width]
};

/// The cache of one layer as it grows, in double. Rows of tensors lie one after the other.
struct LayerCache {
  Index tokens = 0;                          ///< appended so far; the next one stands at this position
  std::vector<std::vector<double>> k;        // [h_kv][rows, d_qk]
  std::vector<std::vector<double>> v;        // [h_kv][rows, d_v]; empty when K = V is shared
  std::vector<Index> key_position;           // [rows] last position that the row contains
  std::vector<std::vector<double>> local;    // [h_kv][tokens, d_qk] rows of single tokens
  std::vector<std::vector<double>> local_v;  // [h_kv][tokens, d_v]; empty when K = V is shared
  Index first_local = 0;                     ///< local rows of earlier tokens are absent: a shorter window
  std::vector<double> index_k;               // [rows, d_index]
  CompressorState main_state;
  CompressorState index_state;

  Index rows() const { return static_cast<Index>(key_position.size()); }
};

/// What one token asks with.
struct QueryRows {
  std::vector<double> q;             // [h_q, d_qk]
  std::vector<double> index_q;       // [index_heads, d_index]
  std::vector<double> index_weight;  // [index_heads], signed; scales are folded in
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual const MechanismShape& shape() const = 0;
  /// An empty cache of this layer.
  virtual LayerCache start() const = 0;
  /// Appends tokens at positions cache.tokens, cache.tokens + 1, ...; x [tokens, d_model], any number of them.
  virtual void append(std::span<const double> x, LayerCache& cache) const = 0;
  /// x [tokens, d_model], the hidden states at positions first, first + 1, ...
  virtual std::vector<QueryRows> queries(std::span<const double> x, Index first) const = 0;
  /// Of one token, x [d_model].
  QueryRows query(std::span<const double> x, Index position) const { return std::move(queries(x, position).front()); }
  /// o [tokens, h_q, d_v], attended by the queries at positions first, first + 1, ...; returns y [tokens, d_model].
  virtual std::vector<double> output(std::span<const double> o, Index first) const = 0;
};

}  // namespace lacuna
