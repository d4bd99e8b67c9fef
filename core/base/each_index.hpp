// Work over indices that whoever runs it may spread over threads: core has no threads of its own.
#pragma once

#include <cstdint>
#include <functional>

namespace lacuna {

/// Calls work(i) for 0 <= i < count, each once, in any order or at once.
using EachIndex = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& work)>;

/// One after the other.
inline void in_order(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  for (std::int64_t i = 0; i < count; ++i) work(i);
}

}  // namespace lacuna
