#include "core/model/model_cache.hpp"

namespace lacuna {
namespace {

template <class T>
Index bytes_of(const std::vector<T>& numbers) {
  return static_cast<Index>(numbers.size() * sizeof(T));
}

Index bytes_of(const std::vector<std::vector<double>>& heads) {
  Index bytes = 0;
  for (const std::vector<double>& head : heads) bytes += bytes_of(head);
  return bytes;
}

Index bytes_of(const CompressorState& state) { return bytes_of(state.values) + bytes_of(state.logits); }

Index bytes_of(const LayerCache& cache) {
  return bytes_of(cache.k) + bytes_of(cache.v) + bytes_of(cache.key_position) + bytes_of(cache.local) +
         bytes_of(cache.local_v) + bytes_of(cache.index_k) + bytes_of(cache.main_state) + bytes_of(cache.index_state);
}

Index bytes_of(const RetentionState& state) { return bytes_of(state.s); }

}  // namespace

Index state_bytes(const LayerState& state) {
  return std::visit([](const auto& held) { return bytes_of(held); }, state);
}

Index ModelCache::bytes() const {
  Index bytes = 0;
  for (const LayerState& state : layers) bytes += state_bytes(state);
  return bytes;
}

}  // namespace lacuna
