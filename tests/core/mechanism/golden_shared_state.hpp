// The configuration and weights of a shared-state layer (DeepSeek-V4, V4.1) in a .golden file.
#pragma once

#include "core/mechanism/golden_layer.hpp"
#include "core/mechanism/shared_state.hpp"

namespace lacuna::testing_core {

inline SharedStateConfig golden_shared_state_config(const GoldenFile& file) {
  const bool v4 = file.size("config.head_norm") == 1;
  SharedStateConfig config{.d_model = file.size("config.d_model"),
                           .heads = file.size("config.heads"),
                           .head_dim = file.size("config.head_dim"),
                           .qk_rope = file.size("config.qk_rope"),
                           .q_lora_rank = file.size("config.q_lora_rank"),
                           .o_groups = file.size("config.o_groups"),
                           .o_lora_rank = file.size("config.o_lora_rank"),
                           .local_window = file.size("config.window"),
                           .normalise_q = v4,
                           .eps = file.number("config.eps"),
                           .ratio = file.size("config.ratio"),
                           .overlap = file.size("config.overlap") == 1,
                           .position_bias = v4,
                           .owns_indexer = file.size("config.index_heads") > 0,
                           .index_heads = file.size("config.index_heads")};
  if (config.owns_indexer) config.d_index = file.size("config.d_index");
  if (config.ratio == 1) config.pooling = Pooling::mean;
  (config.ratio == 0 ? config.local_base : config.compressed_base) = file.number("config.rope_base");
  if (config.ratio > 0)
    config.compressed_yarn = {.factor = file.number("config.yarn_factor"),
                              .original_context = file.number("config.yarn_original_context"),
                              .beta_fast = file.number("config.yarn_beta_fast"),
                              .beta_slow = file.number("config.yarn_beta_slow")};
  return config;
}

inline CompressorWeights golden_compressor(const GoldenFile& file, const std::string& prefix) {
  return {.kv = matrix_of(file[prefix + "kv"]),
          .gate = matrix_of(file[prefix + "gate"]),
          .ape = matrix_of(file[prefix + "ape"]),
          .gamma = file[prefix + "norm"].data};
}

inline SharedStateWeights golden_shared_state_weights(const GoldenFile& file) {
  SharedStateWeights weights;
  weights.query_down = matrix_of(file["weight.q_a"]);
  weights.query_gamma = file["weight.q_a_norm"].data;
  weights.query_up = matrix_of(file["weight.q_b"]);
  weights.kv = matrix_of(file["weight.kv"]);
  weights.kv_gamma = file["weight.kv_norm"].data;
  weights.sink_logit = file["weight.sink"].data;
  const Index rank = file.size("config.o_lora_rank");
  for (Index g = 0; g < file.size("config.o_groups"); ++g)
    weights.output_down.push_back(matrix_of(file["weight.o_a"]).row_block(g * rank, rank));
  weights.output_up = matrix_of(file["weight.o_b"]);
  if (file.size("config.ratio") > 0) weights.compressor = golden_compressor(file, "weight.compressor_");
  if (file.size("config.index_heads") > 0) {
    weights.indexer.query = matrix_of(file["weight.index_q_b"]);
    weights.indexer.weight = matrix_of(file["weight.index_w"]);
    weights.indexer.compressor = golden_compressor(file, "weight.index_compressor_");
  }
  return weights;
}

inline LayerRun golden_shared_state_run(const GoldenFile& file, Index top_k = 0) {
  return run_layer(SharedState(golden_shared_state_config(file), golden_shared_state_weights(file)), file["x"], top_k);
}

}  // namespace lacuna::testing_core
