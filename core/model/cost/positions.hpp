// How many positions one decoded token is scored against, summed over layers and not over heads.
//
// With n rows visible, R later indexers and a pool of B blocks of r rows, index scores are
//
//   n (R + 1)                      without the pool                                                     (1)
//   n + R min(n, B r - (-n) mod r) with it                                                              (2)
//
// of which n + R min(n, B r) is the case of whole blocks: a pool that is full holds its newest block as far as that is
// filled (row_limit.hpp). Prefill of N tokens takes
//
//   N L                            layer-tokens in a plain decoder,                                     (3)
//   N L_enc + min(N, w) L_dec      where the L_enc first layers make the whole memory,                  (4)
//
// w being the largest window of the other layers, or 1: without windows only the last token passes through them.
#pragma once

#include "core/model/description.hpp"

namespace lacuna {

struct ScoredPositions {
  Index main = 0;   ///< rows that reach over the prefix
  Index local = 0;  ///< rows of windows
  Index index = 0;
  Index index_without_pool = 0;
};

/// For the token that is decoded as the last of `tokens`.
ScoredPositions scored_positions(const ModelDescription& model, Index tokens);

/// (4), and (3) for a description without encoder_layers.
Index prefill_layer_tokens(const ModelDescription& model, Index tokens);
/// (3).
Index full_layer_tokens(const ModelDescription& model, Index tokens);

}  // namespace lacuna
