// The published storage of each model's cache.
#pragma once

#include "core/model/cost/storage_policy.hpp"

namespace lacuna::published {

inline StoragePolicy stored(const std::string& main, const std::string& index, const std::string& local) {
  return {.main = RowStorage(main), .index = RowStorage(index), .local = RowStorage(local)};
}
inline StoragePolicy bf16() { return {}; }
inline StoragePolicy v32() { return stored("v32_mla_row", "v32_index_row", "bf16"); }
inline StoragePolicy v4() { return stored("v4_main_row", "fp4_index_row", "v4_main_row"); }
inline StoragePolicy v41() { return stored("v41_main_row", "fp4_index_row", "v41_window_row"); }

}  // namespace lacuna::published
