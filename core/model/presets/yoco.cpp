#include "core/model/presets/yoco.hpp"

#include <cmath>

#include "core/model/preset.hpp"

namespace lacuna {

ModelDescription yoco_pattern(const YocoExtents& extents) {
  const RopeParameters rope{.channels = extents.d_head, .spacing = RopeSpacing::endpoint_inclusive};
  const ProjectedConfig window{.d_model = extents.d_model,
                               .h_q = extents.h_q,
                               .h_kv = extents.h_q,
                               .d_qk = extents.d_head,
                               .d_v = extents.d_head,
                               .rope = rope,
                               .local_window = extents.window};
  const RetentionConfig retention{
      .d_model = extents.d_model, .heads = extents.h_q, .d_qk = extents.d_head, .d_v = extents.d_head, .rope = rope};
  ProjectedConfig cross = window;
  cross.h_kv = extents.h_kv;
  cross.local_window = 0;

  ModelDescription model{.vocabulary = extents.vocabulary,
                         .d_model = extents.d_model,
                         .eps = 1e-5,
                         .embedding_scale = std::sqrt(static_cast<double>(extents.d_model)),
                         .encoder_layers = extents.layers / 2};
  for (Index label = 0; label < extents.layers; ++label) {
    LayerDescription layer{.label = label,
                           .feed_forward = {.kind = FeedForwardKind::swiglu, .width = extents.feed_forward}};
    if (label >= model.encoder_layers) {
      cross.owns_cache = label == model.encoder_layers;
      layer.attention = cross;
      if (!cross.owns_cache) layer.rows_of = model.encoder_layers;
    } else if (extents.self_decoder == SelfDecoder::retention) {
      layer.attention = retention;
    } else {
      layer.attention = window;
    }
    model.layers.push_back(layer);
  }
  return model;
}

namespace {

/// A model of 3B parameters.
YocoExtents extents_3b(SelfDecoder self_decoder) {
  return {.layers = 26,
          .vocabulary = 100288,
          .d_model = 3072,
          .h_q = 24,
          .h_kv = 8,
          .d_head = 128,
          .feed_forward = 8192,
          .self_decoder = self_decoder};
}

const bool registered_retention = ModelPresetRegistry::instance().add(
    {.name = "yoco",
     .sentence = "YOCO: a self-decoder of gated retention, a cross-decoder that reads one global K and V.",
     .describe = [] { return yoco_pattern(extents_3b(SelfDecoder::retention)); }});

const bool registered_window = ModelPresetRegistry::instance().add(
    {.name = "yoco_window",
     .sentence = "YOCO: a self-decoder of sliding windows, a cross-decoder that reads one global K and V.",
     .describe = [] { return yoco_pattern(extents_3b(SelfDecoder::sliding_window)); }});

}  // namespace
}  // namespace lacuna
