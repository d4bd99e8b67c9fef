// Work in parallel over indices: each index is done once by some thread. What an index writes must not depend on which.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lacuna {

/// Calls work(i) for 0 <= i < count on up to `threads` threads. The first exception stops the rest and is rethrown.
template <class Work>
void parallel_for(std::int64_t count, int threads, Work&& work) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto loop = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t) workers.emplace_back(loop);
    loop();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lacuna
