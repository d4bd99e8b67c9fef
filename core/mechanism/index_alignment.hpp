// Index weights that resemble the main attention of their layer, to a degree rho:
//
//   W^I = rho W^aligned + sqrt(1 - rho^2) W^random .                                                               (1)
//
// A trained indexer approximates the main scores; random weights know nothing of them. The aligned weights make index
// rows out of d_index channels of the main rows: nope channels at a stride, and all the rope channels, so that RoPE
// acts on both alike.
//
//   index query   these rows of W_qb of the main head that it follows (index_heads.hpp)
//   index key     V4: these channels of the main compressor (values, gate, ape; in both halves when groups overlap)
//                 V4.1: the rows of W_k select these channels of the latent
//   index weight  constant: W_w x = x_0, and hidden states have a channel 0 that is 1
//
// Query, key and weight carry rho each: the correlation of index and main scores falls about as rho^3. With channels
// that are independent it is sqrt(d_index / head_dim) at rho = 1, 1/2 at the extents of V4-Flash, less where heads are
// rectified alone; with every channel and one main head index scores are main scores times a positive factor of the
// query.
#pragma once

#include <vector>

#include "core/mechanism/compressor.hpp"
#include "core/mechanism/shared_state_config.hpp"

namespace lacuna {

/// Channels of a main row, ascending; [d_index], the last qk_rope of them the rope channels.
std::vector<Index> aligned_channels(const SharedStateConfig& config);

/// W_q^I [index_heads * d_index, q_lora_rank] from W_qb [heads * head_dim, q_lora_rank].
Matrix aligned_index_query(const SharedStateConfig& config, const Matrix& query_up);
/// W_w [index_heads, d_model].
Matrix aligned_index_weight(const SharedStateConfig& config);
/// V4: the index compressor from the main one.
CompressorWeights aligned_index_compressor(const SharedStateConfig& config, const CompressorWeights& main);
/// V4.1: W_k [d_index, head_dim].
Matrix aligned_index_key(const SharedStateConfig& config);

}  // namespace lacuna
