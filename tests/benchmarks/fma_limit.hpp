// What the machine can do while a benchmark runs: a loop of multiply-adds in registers, timed beside the work, so that
// a ratio survives a clock that changes and a machine that is shared. Times are of the thread's own processor time.
#pragma once

#include <benchmark/benchmark.h>

#include <ctime>

namespace lacuna::benchmarks {

/// Processor time of this thread, seconds.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs multiply-adds in double for about a millisecond; returns operations per second, 2 per multiply-add.
double fma_limit();

/// Measures work() beside the limit. Counters: GF/s of the work and of the limit, and their ratio.
template <class Work>
void measure(benchmark::State& state, double operations, Work&& work) {
  double seconds = 0, limit = 0;
  for (auto _ : state) {
    limit += fma_limit();
    const double begin = thread_seconds();
    work();
    const double elapsed = thread_seconds() - begin;
    state.SetIterationTime(elapsed);
    seconds += elapsed;
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["GF/s"] = operations * runs / seconds * 1e-9;
  state.counters["limit"] = limit / runs * 1e-9;
  state.counters["of_limit"] = operations * runs / seconds / (limit / runs);
}

}  // namespace lacuna::benchmarks
