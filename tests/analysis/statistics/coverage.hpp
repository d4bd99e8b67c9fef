// How often an interval holds what it is for, over replicas of a known law with fixed seeds.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "analysis/statistics/interval.hpp"
#include "core/base/rng.hpp"

namespace lacuna {

inline constexpr int kReplicas = 10000;

/// Share of `replicas` in which interval(replica) contains `truth`. A NaN end contains nothing.
inline double coverage(double truth, const std::function<Interval(std::uint64_t)>& interval, int replicas = kReplicas) {
  int holds = 0;
  for (int replica = 0; replica < replicas; ++replica) {
    const Interval found = interval(static_cast<std::uint64_t>(replica));
    holds += found.low <= truth && truth <= found.high ? 1 : 0;
  }
  return static_cast<double>(holds) / replicas;
}

/// n independent standard normal values of one replica.
inline std::vector<double> normal_values(std::size_t n, std::uint64_t replica, std::uint64_t seed = 1) {
  const CounterRng random(seed, "coverage.normal", replica);
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = random.normal(i);
  return values;
}

/// n values with correlation phi^lag, each standard normal.
inline std::vector<double> autoregressive_values(std::size_t n, double phi, std::uint64_t replica,
                                                 std::uint64_t seed = 1) {
  std::vector<double> values = normal_values(n, replica, seed);
  for (std::size_t i = 1; i < n; ++i) values[i] = phi * values[i - 1] + std::sqrt(1 - phi * phi) * values[i];
  return values;
}

}  // namespace lacuna
