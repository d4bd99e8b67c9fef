#include "core/model/cost/layer_reads.hpp"

#include "core/model/cost/layer_extents.hpp"

namespace lacuna {
namespace {

RowLimit pool_limit(const CandidatePool& pool) {
  return {.most = pool.blocks * pool.block_size, .block_size = pool.block_size};
}

/// Of `top_k` within the pool. A full pool holds between most - block_size + 1 and most rows.
RowLimit within(const RowLimit& pool, Index top_k) {
  if (pool.most <= top_k) return pool;
  if (pool.most - pool.block_size + 1 >= top_k) return {.most = top_k};
  throw UsageError(fmt::format("pool holds {} to {} rows, and top_k is {}; one must be the smaller in any case",
                               pool.most - pool.block_size + 1, pool.most, top_k));
}

/// The layer whose indexer selects for this one; nullptr: nothing is selected.
const LayerDescription* selecting_layer(const ModelDescription& model, const LayerDescription& layer) {
  const LayerDescription& selects = layer.selection_of ? model.layers[model.place_of(*layer.selection_of)] : layer;
  return selects.top_k > 0 ? &selects : nullptr;
}

bool in_pool(const ModelDescription& model, const LayerDescription& layer) {
  return model.pool && layer.owns_indexer() && layer.label > model.pool->from_layer;
}

}  // namespace

std::vector<LayerReads> layer_reads(const ModelDescription& model) {
  std::vector<LayerReads> all;
  for (const LayerDescription& layer : model.layers) {
    const LayerExtents extents = LayerExtents::of(layer);
    LayerReads reads;
    if (extents.window > 0) reads.local = RowLimit{.most = extents.window};
    if (extents.ratio > 0) {
      reads.ratio = extents.ratio;
      reads.main = RowLimit{};
      if (const LayerDescription* selects = selecting_layer(model, layer))
        reads.main = in_pool(model, *selects) ? within(pool_limit(*model.pool), selects->top_k)
                                              : RowLimit{.most = selects->top_k};
      if (extents.owns_indexer) {
        reads.index_without_pool = RowLimit{};
        reads.index = in_pool(model, layer) ? pool_limit(*model.pool) : RowLimit{};
      }
    }
    all.push_back(reads);
  }
  return all;
}

}  // namespace lacuna
