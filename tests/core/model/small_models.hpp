// One small decoder of every pattern, for tests that hold for all of them.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "core/model/decoder.hpp"
#include "core/model/preset.hpp"
#include "core/model/presets/v41.hpp"
#include "core/model/presets/yoco.hpp"
#include "core/model/scaled.hpp"
#include "support/random.hpp"

namespace lacuna {

/// How GoogleTest shows a parameter.
inline void PrintTo(const ModelDescription& model, std::ostream* out) { *out << model.name; }

}  // namespace lacuna

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

/// Every preset with all its layers, narrow, with 8 tokens in an HCA entry; beside them the variations of small_models.
inline std::vector<ModelDescription> every_stack() {
  std::vector<ModelDescription> models = small_models();
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) {
    ModelDescription model = small_model(preset.name, 0);
    model.name = preset.name + " in full";
    for (LayerDescription& layer : model.layers)
      if (auto* config = std::get_if<SharedStateConfig>(&layer.attention); config != nullptr && config->ratio == 128)
        config->ratio = 8;
    models.push_back(std::move(model));
  }
  return models;
}

inline ModelWeights random_weights(const ModelDescription& model, std::uint64_t seed) {
  return ModelWeights::random(model, {.score_std = 2, .index_quality = 0.8, .query_similarity = 0.5}, seed);
}

/// Hidden states [tokens, d_model] of all tokens, appended in chunks of so many.
inline std::vector<double> hidden_in_chunks(const Decoder& decoder, const std::vector<Index>& tokens, Index chunk) {
  ModelCache cache = decoder.start();
  std::vector<double> hidden;
  for (std::size_t t = 0; t < tokens.size(); t += chunk) {
    const auto part = std::span(tokens).subspan(t, std::min<std::size_t>(chunk, tokens.size() - t));
    const std::vector<double> more = decoder.append(part, cache);
    hidden.insert(hidden.end(), more.begin(), more.end());
  }
  return hidden;
}

inline std::vector<double> hidden_at_once(const Decoder& decoder, const std::vector<Index>& tokens) {
  return hidden_in_chunks(decoder, tokens, static_cast<Index>(tokens.size()));
}

inline std::vector<Index> random_tokens(const ModelDescription& model, Index count, Random& random) {
  std::vector<Index> tokens;
  for (Index t = 0; t < count; ++t) tokens.push_back(random.integer(0, model.vocabulary - 1));
  return tokens;
}

}  // namespace lacuna::testing_core
