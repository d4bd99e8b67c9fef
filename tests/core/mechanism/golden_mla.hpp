// The configuration and weights of an MLA layer in a .golden file.
#pragma once

#include "core/mechanism/golden_layer.hpp"
#include "core/mechanism/mla.hpp"

namespace lacuna::testing_core {

inline MlaConfig golden_mla_config(const GoldenFile& file) {
  MlaConfig config{.d_model = file.size("config.d_model"),
                   .heads = file.size("config.heads"),
                   .q_lora_rank = file.size("config.q_lora_rank"),
                   .kv_lora_rank = file.size("config.kv_lora_rank"),
                   .qk_nope = file.size("config.qk_nope"),
                   .qk_rope = file.size("config.qk_rope"),
                   .d_v = file.size("config.v"),
                   .rope_base = file.number("config.rope_base"),
                   .eps = file.number("config.eps")};
  if (file.has("config.yarn_factor")) {
    config.yarn = Yarn{.factor = file.number("config.yarn_factor"),
                       .original_context = file.number("config.yarn_original_context"),
                       .beta_fast = file.number("config.yarn_beta_fast"),
                       .beta_slow = file.number("config.yarn_beta_slow")};
    config.mscale = file.number("config.mscale");
  }
  return config;
}

inline MlaWeights golden_mla_weights(const GoldenFile& file) {
  MlaWeights weights;
  if (file.size("config.q_lora_rank") > 0) {
    weights.wqa = matrix_of(file["weight.q_a"]);
    weights.q_norm = file["weight.q_a_norm"].data;
    weights.wqb = matrix_of(file["weight.q_b"]);
  } else {
    weights.wqb = matrix_of(file["weight.q"]);
  }
  weights.wkva = matrix_of(file["weight.kv_a"]);
  weights.kv_norm = file["weight.kv_a_norm"].data;
  weights.wkvb = matrix_of(file["weight.kv_b"]);
  weights.wo = matrix_of(file["weight.o"]);
  return weights;
}

/// [tokens, kv_lora_rank + qk_rope]: the file's latents and rotated keys, as the absorbed cache lays them out.
inline void expect_golden_latent_rows(const std::vector<double>& rows, const GoldenFile& file) {
  const Index latent = file["c"].columns, rope = file["k_rope"].columns, tokens = file["c"].rows;
  ASSERT_EQ(static_cast<Index>(rows.size()), tokens * (latent + rope));
  std::vector<double> c, k_rope;
  for (Index t = 0; t < tokens; ++t) {
    const auto row = rows.begin() + t * (latent + rope);
    c.insert(c.end(), row, row + latent);
    k_rope.insert(k_rope.end(), row + latent, row + latent + rope);
  }
  expect_golden(c, file, "c");
  expect_golden(k_rope, file, "k_rope");
}

}  // namespace lacuna::testing_core
