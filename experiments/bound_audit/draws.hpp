// A sequence of random numbers that is a function of its seed, purpose and stream alone.
#pragma once

#include <string>

#include "core/attention/rows.hpp"
#include "core/base/rng.hpp"

namespace lacuna {

class Draws {
 public:
  Draws(std::uint64_t seed, const std::string& purpose, std::uint64_t stream)
      : uniform_(seed, purpose + ".uniform", stream), normal_(seed, purpose + ".normal", stream) {}

  /// In (low, high).
  double uniform(double low = 0, double high = 1) { return low + (high - low) * uniform_.uniform(uniforms_++); }
  double normal() { return normal_.normal(normals_++); }
  bool chance(double p) { return uniform() < p; }
  /// In [low, high].
  Index integer(Index low, Index high) {
    return std::min(low + static_cast<Index>(uniform() * static_cast<double>(high - low + 1)), high);
  }

 private:
  CounterRng uniform_;
  CounterRng normal_;
  std::uint64_t uniforms_ = 0;
  std::uint64_t normals_ = 0;
};

}  // namespace lacuna
