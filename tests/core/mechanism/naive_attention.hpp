// Softmax attention of one query over a layer's cache, as its definition reads.
#pragma once

#include <cmath>

#include "core/mechanism/mechanism.hpp"

namespace lacuna::testing_core {

/// sm q_h . k_j for every row of the cache.
inline std::vector<double> scores_of_head(const MechanismShape& shape, const QueryRows& query, const LayerCache& cache,
                                          Index head) {
  const std::vector<double>& k = cache.k[head * shape.h_kv / shape.h_q];
  std::vector<double> s(cache.rows(), 0.0);
  for (Index j = 0; j < cache.rows(); ++j) {
    for (Index c = 0; c < shape.d_qk; ++c) s[j] += query.q[head * shape.d_qk + c] * k[j * shape.d_qk + c];
    s[j] *= shape.sm_scale;
  }
  return s;
}

/// [h_q, d_v], over the rows at or before the position.
inline std::vector<double> attention_over_cache(const MechanismShape& shape, const QueryRows& query,
                                                const LayerCache& cache, Index position) {
  std::vector<double> o(shape.h_q * shape.d_v, 0.0);
  for (Index h = 0; h < shape.h_q; ++h) {
    const Index kv = h * shape.h_kv / shape.h_q;
    const std::vector<double>& values = shape.shared_kv ? cache.k[kv] : cache.v[kv];
    const Index stride = shape.shared_kv ? shape.d_qk : shape.d_v;
    const std::vector<double> s = scores_of_head(shape, query, cache, h);
    double largest = -INFINITY, sum = 0;
    for (Index j = 0; j < cache.rows(); ++j)
      if (cache.key_position[j] <= position) largest = std::max(largest, s[j]);
    for (Index j = 0; j < cache.rows(); ++j) {
      if (cache.key_position[j] > position) continue;
      const double p = std::exp(s[j] - largest);
      sum += p;
      for (Index c = 0; c < shape.d_v; ++c) o[h * shape.d_v + c] += p * values[j * stride + c];
    }
    for (Index c = 0; c < shape.d_v; ++c) o[h * shape.d_v + c] /= sum;
  }
  return o;
}

/// y [d_model] of a token x that stands at `position` and attends to the cache.
inline std::vector<double> attended_output(const Mechanism& mechanism, std::span<const double> x,
                                           const LayerCache& cache, Index position) {
  const QueryRows query = mechanism.query(x, position);
  return mechanism.output(attention_over_cache(mechanism.shape(), query, cache, position), position);
}

}  // namespace lacuna::testing_core
