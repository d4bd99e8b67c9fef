// What distinguishes the attention layers of DeepSeek-V4 and V4.1-Flash from each other (shared_state.hpp has the
// formulas).
//
//   ratio   overlap  ape   indexer        layer
//   0                                     sliding window only, in both models
//   4       yes      yes   hidden states  V4: compressed sparse attention (CSA, C4A)
//   128     no       yes   none           V4: heavily compressed attention (HCA, C128A), every entry is read
//   2, 1    no       no    latent         V4.1: CSA2; ratio 1 has no gate
//
// In V4.1 a layer is Full (owns_cache, owns_indexer), Reindex (another layer's cache and index keys, its own index
// queries and weights) or Reuse (another layer's cache and selection): deepseek-ai/DeepSeek-V4.1-Flash config.json and
// inference/model.py. The defaults of the extents are those of V4-Flash (deepseek-ai/DeepSeek-V4-Flash config.json).
#pragma once

#include "core/mechanism/compressor.hpp"
#include "core/mechanism/rope.hpp"

namespace lacuna {

/// What index keys are made from.
enum class IndexKeySource {
  hidden_states,  ///< V4: a compressor of the indexer's own
  latent,         ///< V4.1: the main compressor's latents before RoPE
};

struct SharedStateConfig {
  Index d_model = 4096;
  Index heads = 64;  ///< H
  Index head_dim = 512;
  Index qk_rope = 64;  ///< the last channels of every row, query and index row
  Index q_lora_rank = 1024;
  Index o_groups = 8;
  Index o_lora_rank = 1024;
  Index local_window = 128;  ///< tokens, the query's own among them
  bool normalise_q = true;   ///< RMS norm of every query head, without weights: V4 yes, V4.1 no
  double eps = 1e-6;         ///< of every RMSNorm

  Index ratio = 4;  ///< tokens per entry; 0: no entries, local rows only
  bool overlap = true;
  bool position_bias = true;
  Pooling pooling = Pooling::gated;
  bool owns_cache = true;  ///< false: the layer reads another layer's entries

  bool owns_indexer = true;  ///< index queries and weights, and index keys if it owns the cache
  Index index_heads = 64;    ///< H_I
  Index d_index = 128;
  IndexKeySource index_keys = IndexKeySource::hidden_states;

  double local_base = 10000;        ///< RoPE base of layers with ratio 0
  double compressed_base = 160000;  ///< RoPE base of everything in the other layers
  Yarn compressed_yarn = {.factor = 16, .original_context = 65536, .beta_fast = 32, .beta_slow = 1};

  // Of random weights only.
  double head_similarity = 0;  ///< correlation of the query heads' weights with those of head 0
  double gate_std = 1;       ///< of the compressors' logits; 0: every slot weighs the same
  double sink_std = 1;       ///< of the sink logits
  double index_quality = 0;  ///< rho in [0, 1] (index_alignment.hpp)

  /// A layer of V4-Flash with ratio 0, 4 or 128.
  static SharedStateConfig v4_flash(Index ratio);
  /// A layer of V4.1-Flash with ratio 0, 2 or 1, Full unless ratio is 0.
  static SharedStateConfig v41_flash(Index ratio);

  bool has_rows() const { return ratio > 0 && owns_cache; }
  bool makes_index_keys() const { return has_rows() && owns_indexer; }
  CompressorConfig compressor() const;
  CompressorConfig index_compressor() const;
  RopeParameters rope() const;
  /// Throws UsageError naming the field.
  void check() const;
};

}  // namespace lacuna
