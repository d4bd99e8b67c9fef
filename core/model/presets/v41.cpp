#include "core/model/presets/v41.hpp"

#include <algorithm>

#include "core/model/preset.hpp"

namespace lacuna {
namespace {

/// The last of `sources` at or before the layer; unset before the first.
std::optional<Index> latest(const std::vector<Index>& sources, Index label) {
  const auto after = std::ranges::upper_bound(sources, label);
  return after == sources.begin() ? std::nullopt : std::optional(*(after - 1));
}

LayerDescription layer_of(const V41Pattern& pattern, const SharedStateConfig& widths, Index label) {
  const std::optional<Index> rows = latest(pattern.row_sources, label);
  const std::optional<Index> index = latest(pattern.index_sources, label);
  SharedStateConfig attention = widths;
  attention.ratio = !rows ? 0 : label < pattern.pool.from_layer ? 2 : 1;
  attention.overlap = false;
  attention.position_bias = false;
  attention.pooling = attention.ratio == 1 ? Pooling::mean : Pooling::gated;
  attention.index_keys = IndexKeySource::latent;
  attention.owns_cache = !rows || rows == label;
  attention.owns_indexer = index == label;
  LayerDescription layer{.label = label, .attention = attention};
  if (rows && rows != label) layer.rows_of = rows;
  if (index && index != label) layer.selection_of = index;
  return layer;
}

}  // namespace

V41Pattern v41_published() {
  return {.layers = 40,
          .row_sources = {2, 8, 14, 20},
          .index_sources = {2, 8, 14, 20, 24, 28, 32, 36},
          .pool = {.blocks = 2048, .block_size = 8, .from_layer = 20}};
}

ModelDescription v41_pattern(const V41Pattern& pattern, const SharedStateConfig& widths, Index vocabulary, Index top_k,
                             Index feed_forward) {
  ModelDescription model{.vocabulary = vocabulary,
                         .d_model = widths.d_model,
                         .eps = widths.eps,
                         .encoder_layers = pattern.pool.from_layer,
                         .pool = pattern.pool};
  for (Index label = 0; label < pattern.layers; ++label) {
    LayerDescription layer = layer_of(pattern, widths, label);
    layer.top_k = layer.owns_indexer() ? top_k : 0;
    layer.feed_forward = {.kind = FeedForwardKind::swiglu, .width = feed_forward};
    model.layers.push_back(layer);
  }
  return model;
}

ModelDescription v41_small(Index d_model) {
  SharedStateConfig widths = SharedStateConfig::v41_flash(2);
  widths.d_model = d_model;
  widths.heads = 4;
  widths.head_dim = d_model / 2;
  widths.qk_rope = d_model / 8;
  widths.q_lora_rank = d_model / 2;
  widths.o_groups = 2;
  widths.o_lora_rank = d_model / 4;
  widths.local_window = 8;
  widths.index_heads = 4;
  widths.d_index = d_model / 4;
  const V41Pattern pattern{.layers = 16,
                           .row_sources = {2, 5, 8},
                           .index_sources = {2, 5, 8, 11, 14},
                           .pool = {.blocks = 8, .block_size = 4, .from_layer = 8}};
  ModelDescription model = v41_pattern(pattern, widths, 4 * d_model, 8, 2 * d_model);
  model.name = "v41_small";
  return model;
}

namespace {

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "v41_small",
     .sentence = "The pattern of DeepSeek-V4.1-Flash with all its modes in 16 layers of width 64.",
     .describe = [] { return v41_small(64); }});

}  // namespace
}  // namespace lacuna
