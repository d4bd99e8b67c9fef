// Hidden states for the mechanisms' tests.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/attention/rows.hpp"
#include "support/random.hpp"

namespace lacuna::testing_core {

struct HiddenStates {
  Index d_model;
  std::vector<double> x;  // [tokens, d_model], independent N(0, 1)

  HiddenStates(std::uint64_t seed, Index tokens, Index width) : d_model(width), x(tokens * width) {
    Random random(seed);
    for (double& c : x) c = random.normal();
  }
  std::span<const double> token(Index t) const { return tokens(t, 1); }
  std::span<const double> tokens(Index first, Index count) const {
    return std::span(x).subspan(first * d_model, count * d_model);
  }
};

/// || a - b || / || b ||
inline double relative_error(std::span<const double> a, std::span<const double> b) {
  double difference = 0, norm = 0;
  for (std::size_t c = 0; c < b.size(); ++c) {
    difference += (a[c] - b[c]) * (a[c] - b[c]);
    norm += b[c] * b[c];
  }
  return a.size() == b.size() ? std::sqrt(difference / norm) : INFINITY;
}

}  // namespace lacuna::testing_core
