#include "core/model/presets/v4.hpp"

namespace lacuna {

ModelDescription v4_pattern(const V4Extents& extents) {
  ModelDescription model{
      .vocabulary = extents.vocabulary, .d_model = extents.widths.d_model, .eps = extents.widths.eps};
  for (const Index ratio : extents.ratios) {
    const SharedStateConfig published = SharedStateConfig::v4_flash(ratio);
    SharedStateConfig attention = extents.widths;
    attention.ratio = ratio;
    attention.overlap = published.overlap;
    attention.owns_indexer = published.owns_indexer;
    model.layers.push_back({.label = static_cast<Index>(model.layers.size()),
                            .attention = attention,
                            .top_k = attention.owns_indexer ? extents.top_k : 0,
                            .feed_forward = {.kind = FeedForwardKind::swiglu, .width = extents.feed_forward}});
  }
  return model;
}

}  // namespace lacuna
