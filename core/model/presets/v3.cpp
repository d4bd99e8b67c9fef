#include "core/model/presets/v3.hpp"

#include "core/model/preset.hpp"

namespace lacuna {

MlaConfig v3_attention() {
  return {.d_model = 7168,
          .heads = 128,
          .q_lora_rank = 1536,
          .kv_lora_rank = 512,
          .qk_nope = 128,
          .qk_rope = 64,
          .d_v = 128,
          .yarn = Yarn{.factor = 40, .original_context = 4096, .beta_fast = 32, .beta_slow = 1}};
}

ModelDescription v3_pattern(const AttentionConfig& attention, Index top_k) {
  ModelDescription model{.vocabulary = 129280, .d_model = 7168};
  for (Index label = 0; label < 61; ++label)
    model.layers.push_back({.label = label,
                            .attention = attention,
                            .top_k = top_k,
                            .feed_forward = {.kind = FeedForwardKind::swiglu, .width = 18432}});
  return model;
}

namespace {

const bool registered = ModelPresetRegistry::instance().add({.name = "v3",
                                                             .sentence = "DeepSeek-V3: multi-head latent attention.",
                                                             .describe = [] { return v3_pattern(v3_attention(), 0); }});

}  // namespace
}  // namespace lacuna
