#include "core/model/cost/storage_policy.hpp"

#include <algorithm>

#include "core/model/cost/layer_extents.hpp"

namespace lacuna {

std::vector<StoragePolicy::Fault> StoragePolicy::check(const ModelDescription& model) const {
  std::vector<Fault> faults;
  const auto test = [&](const LayerDescription& layer, const char* kind, const RowStorage& storage, Index width) {
    const auto message = storage.check(width);
    if (message && std::ranges::find(faults, kind, &Fault::kind) == faults.end())
      faults.push_back({kind, fmt::format("layer {}: {}", layer.label, *message)});
  };
  for (const LayerDescription& layer : model.layers) {
    const LayerExtents extents = LayerExtents::of(layer);
    if (extents.owns_rows)
      for (const VectorExtents& vectors : extents.row) test(layer, "main", main, vectors.width);
    if (extents.makes_index_keys) test(layer, "index", index, extents.d_index);
    for (const VectorExtents& vectors : extents.local_row) test(layer, "local", local, vectors.width);
  }
  return faults;
}

}  // namespace lacuna
