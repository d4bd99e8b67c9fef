#include "core/model/cost/layer_extents.hpp"

namespace lacuna {
namespace {

Index compressor_matrices(const CompressorConfig& config) {
  return (config.pooling == Pooling::gated ? 2 : 1) * config.slot_width() * config.d_model;
}

Index compressor_state(const CompressorConfig& config) {
  if (config.ratio == 1) return 0;
  const Index slots = (config.overlap ? 2 : 1) * config.ratio;
  return (config.pooling == Pooling::gated ? 2 : 1) * slots * config.slot_width();
}

LayerExtents extents(const ProjectedConfig& c) {
  LayerExtents layer{.heads = c.h_q, .d_qk = c.d_qk, .d_v = c.d_v};
  const std::vector<VectorExtents> row = {{c.h_kv, c.d_qk}, {c.h_kv, c.d_v}};
  if (c.local_window > 0) {
    layer.window = c.local_window;
    layer.local_row = row;
  } else {
    layer.ratio = 1;
    layer.owns_rows = c.owns_cache;
    layer.row = row;
  }
  layer.projections = c.d_model * c.h_q * (c.d_qk + c.d_v);
  if (c.owns_cache) layer.projections += c.d_model * c.h_kv * (c.d_qk + c.d_v);
  return layer;
}

LayerExtents extents(const MlaConfig& c) {
  LayerExtents layer{.ratio = 1, .owns_rows = true, .row = {{1, c.latent_width()}}};
  layer.heads = c.heads;
  layer.d_qk = c.latent_width();
  layer.d_v = c.kv_lora_rank;
  layer.projections = c.d_model * c.q_lora_rank + c.query_input() * c.heads * c.d_qk() + c.d_model * c.latent_width() +
                      c.heads * c.kv_lora_rank * (c.qk_nope + c.d_v) + c.heads * c.d_v * c.d_model;
  return layer;
}

LayerExtents extents(const SparseMlaConfig& c) {
  LayerExtents layer = extents(c.mla);
  layer.owns_indexer = layer.makes_index_keys = true;
  layer.index_heads = c.index_heads;
  layer.d_index = c.d_index;
  layer.index_projections =
      c.mla.query_input() * c.index_heads * c.d_index + c.mla.d_model * (c.index_heads + c.d_index);
  return layer;
}

LayerExtents extents(const SharedStateConfig& c) {
  LayerExtents layer{.ratio = c.ratio, .owns_rows = c.has_rows()};
  layer.heads = c.heads;
  layer.d_qk = layer.d_v = c.head_dim;
  if (c.ratio > 0) layer.row = {{1, c.head_dim}};
  layer.window = c.local_window;
  if (c.local_window > 0) layer.local_row = {{1, c.head_dim}};
  layer.projections = c.d_model * c.q_lora_rank + c.q_lora_rank * c.heads * c.head_dim +
                      c.heads * c.head_dim * c.o_lora_rank + c.o_groups * c.o_lora_rank * c.d_model;
  if (c.local_window > 0) layer.projections += c.d_model * c.head_dim;
  if (c.has_rows()) {
    layer.projections += compressor_matrices(c.compressor());
    layer.state_elements += compressor_state(c.compressor());
  }
  if (!c.owns_indexer) return layer;
  layer.owns_indexer = true;
  layer.makes_index_keys = c.makes_index_keys();
  layer.index_heads = c.index_heads;
  layer.d_index = c.d_index;
  layer.index_projections = c.q_lora_rank * c.index_heads * c.d_index + c.d_model * c.index_heads;
  if (!layer.makes_index_keys) return layer;
  if (c.index_keys == IndexKeySource::latent) {
    layer.index_projections += Rational(c.head_dim * c.d_index, c.ratio);
  } else {
    layer.index_projections += compressor_matrices(c.index_compressor());
    layer.state_elements += compressor_state(c.index_compressor());
  }
  return layer;
}

LayerExtents extents(const RetentionConfig& c) {
  LayerExtents layer{.state_elements = c.heads * c.d_qk * c.d_v};
  layer.heads = c.heads;
  layer.state_products = 2 * c.heads * c.d_qk * c.d_v;
  layer.projections = c.d_model * c.heads * (2 * c.d_qk + 3 * c.d_v + 1);
  return layer;
}

}  // namespace

LayerExtents LayerExtents::of(const LayerDescription& layer) {
  return std::visit([](const auto& config) { return extents(config); }, layer.attention);
}

}  // namespace lacuna
