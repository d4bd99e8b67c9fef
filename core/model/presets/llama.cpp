#include "core/model/presets/llama.hpp"

namespace lacuna {

ModelDescription llama_pattern(const LlamaExtents& extents) {
  ModelDescription model{.vocabulary = extents.vocabulary, .d_model = extents.d_model};
  for (Index label = 0; label < extents.layers; ++label)
    model.layers.push_back({.label = label,
                            .attention = ProjectedConfig{.d_model = extents.d_model,
                                                         .h_q = extents.h_q,
                                                         .h_kv = extents.h_kv,
                                                         .d_qk = extents.d_head,
                                                         .d_v = extents.d_head,
                                                         .rope = RopeParameters{.channels = extents.d_head,
                                                                                .pairs = RopePairs::half_split}},
                            .feed_forward = {.kind = FeedForwardKind::swiglu, .width = extents.feed_forward}});
  return model;
}

}  // namespace lacuna
