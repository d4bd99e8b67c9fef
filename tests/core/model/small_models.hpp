// One small decoder of every pattern, for tests that hold for all of them.
#pragma once

#include <string>
#include <vector>

#include "core/model/decoder.hpp"
#include "core/model/preset.hpp"
#include "core/model/presets/v41.hpp"
#include "core/model/presets/yoco.hpp"
#include "core/model/scaled.hpp"
#include "support/random.hpp"

namespace lacuna::testing_core {

inline ModelDescription small_model(const std::string& preset, Index layers) {
  return scaled(describe_model(preset), {.d_model = 32, .vocabulary = 40, .window = 5, .top_k = 3}, layers);
}

inline ModelDescription small_yoco(SelfDecoder self_decoder) {
  ModelDescription model = scaled(yoco_pattern({.layers = 6,
                                                .vocabulary = 40,
                                                .d_model = 64,
                                                .h_q = 8,
                                                .h_kv = 2,
                                                .d_head = 8,
                                                .feed_forward = 8,
                                                .self_decoder = self_decoder}),
                                  {.d_model = 32, .vocabulary = 40, .window = 5});
  model.name = self_decoder == SelfDecoder::retention ? "yoco" : "yoco_window";
  return model;
}

/// Window, window, CSA, HCA, CSA, HCA, with 8 tokens in an HCA entry, so that short sequences have some.
inline ModelDescription small_v4() {
  ModelDescription model = small_model("v4_flash", 6);
  for (LayerDescription& layer : model.layers)
    if (auto& config = std::get<SharedStateConfig>(layer.attention); config.ratio == 128) config.ratio = 8;
  return model;
}

/// Norms behind the blocks, the exact GELU, a vocabulary map of its own with a bias.
inline ModelDescription small_post_norm() {
  ModelDescription model = small_model("gpt2_small", 3);
  model.name = "post_norm";
  model.norm_place = NormPlace::after;
  model.tied_vocabulary = false;
  model.vocabulary_bias = true;
  for (LayerDescription& layer : model.layers) layer.feed_forward.kind = FeedForwardKind::gelu;
  return model;
}

/// MLA without YaRN.
inline ModelDescription small_mla(const std::string& preset) {
  ModelDescription model = small_model(preset, 3);
  for (LayerDescription& layer : model.layers) {
    if (auto* config = std::get_if<MlaConfig>(&layer.attention)) config->yarn.reset();
    if (auto* config = std::get_if<SparseMlaConfig>(&layer.attention)) config->mla.yarn.reset();
  }
  return model;
}

inline std::vector<ModelDescription> small_models() {
  return {small_model("llama_7b", 3),
          small_model("v1_67b", 3),
          small_model("mistral_7b", 3),
          small_model("gpt2_small", 3),
          small_post_norm(),
          small_mla("v3"),
          small_mla("v32"),
          small_v4(),
          v41_small(32),
          small_yoco(SelfDecoder::retention),
          small_yoco(SelfDecoder::sliding_window)};
}

inline ModelWeights random_weights(const ModelDescription& model, std::uint64_t seed) {
  return ModelWeights::random(model, {.score_std = 2, .index_quality = 0.8, .query_similarity = 0.5}, seed);
}

inline std::vector<Index> random_tokens(const ModelDescription& model, Index count, Random& random) {
  std::vector<Index> tokens;
  for (Index t = 0; t < count; ++t) tokens.push_back(random.integer(0, model.vocabulary - 1));
  return tokens;
}

}  // namespace lacuna::testing_core
