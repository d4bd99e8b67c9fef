#include "core/model/cost/cache_bytes.hpp"

#include <algorithm>

#include "core/model/cost/layer_extents.hpp"
#include "core/model/cost/layer_reads.hpp"

namespace lacuna {
namespace {

constexpr Index kBlockMaximumBytes = 4;  // f32
constexpr Index kMaskBytes = 1;          // per row

void add(RowBytes& sum, const RowBytes& more, const Rational& times) {
  sum.total += more.total * times;
  sum.scales += more.scales * times;
}

/// One row, over many of them.
RowBytes row_bytes(const std::vector<VectorExtents>& row, const RowStorage& storage) {
  RowBytes bytes;
  for (const VectorExtents& vectors : row) add(bytes, storage.row(vectors.width), vectors.count);
  return bytes;
}

void add_rows(RowBytes& sum, Index rows, const std::vector<VectorExtents>& row, const RowStorage& storage) {
  for (const VectorExtents& vectors : row) add(sum, storage.rows(rows, vectors.width), vectors.count);
}

/// Equation (4).
Rational routing_bytes(const ModelDescription& model, Index tokens) {
  if (!model.pool) return 0;
  const Index rows = tokens / LayerExtents::of(model.layers[model.place_of(model.pool->from_layer)]).ratio;
  const Index blocks = (rows + model.pool->block_size - 1) / model.pool->block_size;
  return blocks * kBlockMaximumBytes + rows * kMaskBytes;
}

}  // namespace

Rational CacheBytes::stored() const {
  const CacheBytes& bytes = *this;
  return bytes[TensorKind::main].total + bytes[TensorKind::index].total + bytes[TensorKind::local].total +
         bytes[TensorKind::state].total;
}

CacheBytes bytes_per_token(const ModelDescription& model, const StoragePolicy& policy) {
  CacheBytes bytes;
  for (const LayerDescription& layer : model.layers) {
    const LayerExtents extents = LayerExtents::of(layer);
    if (!extents.owns_rows) continue;
    const Rational share(1, extents.ratio);
    add(bytes[TensorKind::main], row_bytes(extents.row, policy.main), share);
    if (extents.makes_index_keys) add(bytes[TensorKind::index], policy.index.row(extents.d_index), share);
  }
  return bytes;
}

CacheBytes cache_bytes(const ModelDescription& model, const StoragePolicy& policy, Index tokens) {
  CacheBytes bytes;
  for (const LayerDescription& layer : model.layers) {
    const LayerExtents extents = LayerExtents::of(layer);
    if (extents.owns_rows) {
      const Index rows = tokens / extents.ratio;
      add_rows(bytes[TensorKind::main], rows, extents.row, policy.main);
      if (extents.makes_index_keys) add_rows(bytes[TensorKind::index], rows, {{1, extents.d_index}}, policy.index);
    }
    add_rows(bytes[TensorKind::local], std::min(tokens, extents.window), extents.local_row, policy.local);
    bytes[TensorKind::state].total += extents.state_elements * policy.state_element_bytes;
  }
  bytes[TensorKind::routing].total = routing_bytes(model, tokens);
  return bytes;
}

CacheBytes bytes_read(const ModelDescription& model, const StoragePolicy& policy, Index tokens) {
  CacheBytes bytes;
  const std::vector<LayerReads> reads = layer_reads(model);
  for (std::size_t place = 0; place < model.layers.size(); ++place) {
    const LayerExtents extents = LayerExtents::of(model.layers[place]);
    add(bytes[TensorKind::main], row_bytes(extents.row, policy.main), reads[place].main_rows(tokens));
    if (extents.owns_indexer)
      add(bytes[TensorKind::index], policy.index.row(extents.d_index), reads[place].index_rows(tokens));
    add(bytes[TensorKind::local], row_bytes(extents.local_row, policy.local), reads[place].local_rows(tokens));
    bytes[TensorKind::state].total += extents.state_elements * policy.state_element_bytes;
  }
  bytes[TensorKind::routing].total = routing_bytes(model, tokens);
  return bytes;
}

}  // namespace lacuna
