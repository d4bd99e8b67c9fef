// Random attention problems, and problems written out by hand. The numbers stay open to change until build(): tests
// poison, shift and perturb them.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/problem.hpp"
#include "support/random.hpp"

namespace lacuna::testing_core {

enum class Data {
  gaussian,
  tied,        ///< q and k in {-1, 0, 1}: hundreds of exact ties
  duplicated,  ///< half of the rows repeat an earlier one
  cancelling,  ///< values of 1e6 in pairs of opposite sign, almost equal scores
};

/// What a random problem looks like; printed with a failure.
struct ProblemShape {
  Index h_q = 1;
  Index h_kv = 1;
  Index s_q = 1;
  Index n = 16;  ///< keys
  Index d_qk = 8;
  Index d_v = 8;
  bool is_double = true;
  bool shared_kv = false;
  bool sink = false;
  double score_spread = 1;  ///< standard deviation of the scores
  double value_shift = 0;   ///< added to every channel of every value
  Data data = Data::gaussian;
  std::uint64_t seed = 1;

  std::string describe() const {
    return fmt::format(
        "h_q {} h_kv {} s_q {} n {} d_qk {} d_v {} double {} shared_kv {} sink {} score_spread {} value_shift {} "
        "data {} seed {}",
        h_q, h_kv, s_q, n, d_qk, d_v, is_double, shared_kv, sink, score_spread, value_shift, static_cast<int>(data),
        seed);
  }
};

/// A problem as plain arrays.
struct RawProblem {
  Index h_q = 1, h_kv = 1, s_q = 1, n = 1, d_qk = 1, d_v = 1;
  bool is_double = true;
  std::vector<double> q;              // [h_q, s_q, d_qk]
  std::vector<double> k;              // [h_kv, n, d_qk]
  std::vector<double> v;              // [h_kv, n, d_v]; empty: K = V
  std::vector<Index> query_position;  // [s_q]
  std::vector<Index> key_position;    // [n]
  std::vector<double> sink_logit;     // [h_q] or empty
  double sm_scale = 1;
  Index stored_element_bytes = 4;

  double& key(Index kv_head, Index j, Index c) { return k[(kv_head * n + j) * d_qk + c]; }
  double& value(Index kv_head, Index j, Index c) { return v[(kv_head * n + j) * d_v + c]; }
  double& query(Index head, Index i, Index c) { return q[(head * s_q + i) * d_qk + c]; }

  void set_key(Index kv_head, Index j, double x) {
    for (Index c = 0; c < d_qk; ++c) key(kv_head, j, c) = x;
  }
  void set_value(Index kv_head, Index j, double x) {
    for (Index c = 0; c < d_v && !v.empty(); ++c) value(kv_head, j, c) = x;
  }
  void poison(Index kv_head, Index j) {
    set_key(kv_head, j, std::numeric_limits<double>::quiet_NaN());
    set_value(kv_head, j, std::numeric_limits<double>::quiet_NaN());
  }

  AttentionProblem build() const {
    AttentionProblem problem;
    problem.q = tensor(h_q, s_q, d_qk, q);
    problem.k = tensor(h_kv, n, d_qk, k);
    if (!v.empty()) problem.v = tensor(h_kv, n, d_v, v);
    problem.query_position = query_position;
    problem.key_position = key_position;
    problem.sink_logit = sink_logit;
    problem.sm_scale = sm_scale;
    problem.stored_element_bytes = stored_element_bytes;
    problem.index = index_tensors();
    return problem;
  }

 private:
  /// A lightning indexer that scores the keys of KV head 0 with every head's query, weighted 1, -0.5, 1, ...
  IndexTensors index_tensors() const {
    std::vector<double> weight(s_q * h_q);
    for (Index i = 0; i < s_q * h_q; ++i) weight[i] = i % h_q % 2 == 0 ? 1 : -0.5;
    IndexTensors index;
    index.q = tensor(h_q, s_q, d_qk, q);
    index.weight = tensor(1, s_q, h_q, weight);
    index.k = tensor(1, n, d_qk, {k.begin(), k.begin() + n * d_qk});
    return index;
  }
  Tensor tensor(Index outer, Index rows, Index width, const std::vector<double>& data) const {
    if (is_double) return Tensor(outer, rows, width, data);
    return Tensor(outer, rows, width, std::vector<float>(data.begin(), data.end()));
  }
};

/// Positions 0 .. n-1 for the keys, the last s_q of them for the queries (negative ones see no key).
inline void default_positions(RawProblem& raw) {
  raw.key_position.resize(raw.n);
  raw.query_position.resize(raw.s_q);
  for (Index j = 0; j < raw.n; ++j) raw.key_position[j] = j;
  for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = raw.n - raw.s_q + i;
}

/// One head, one query at the last key: q [d], keys [n][d], values [n][d_v].
inline RawProblem problem_of(const std::vector<double>& q, const std::vector<std::vector<double>>& keys,
                             const std::vector<std::vector<double>>& values) {
  RawProblem raw;
  raw.n = static_cast<Index>(keys.size());
  raw.d_qk = static_cast<Index>(q.size());
  raw.q = q;
  for (const auto& key : keys) raw.k.insert(raw.k.end(), key.begin(), key.end());
  raw.d_v = values.empty() ? raw.d_qk : static_cast<Index>(values.front().size());
  for (const auto& value : values) raw.v.insert(raw.v.end(), value.begin(), value.end());
  default_positions(raw);
  return raw;
}

/// The same with the scores themselves as one-channel keys.
inline RawProblem problem_of_scores(const std::vector<double>& scores, const std::vector<std::vector<double>>& values) {
  std::vector<std::vector<double>> keys;
  for (const double s : scores) keys.push_back({s});
  return problem_of({1.0}, keys, values);
}

inline RawProblem random_problem(const ProblemShape& shape) {
  Random random(shape.seed);
  RawProblem raw;
  raw.h_q = shape.h_q;
  raw.h_kv = shape.h_kv;
  raw.s_q = shape.s_q;
  raw.n = shape.n;
  raw.d_qk = shape.d_qk;
  raw.d_v = shape.shared_kv ? shape.d_qk : shape.d_v;
  raw.is_double = shape.is_double;
  raw.sm_scale = shape.score_spread / std::sqrt(static_cast<double>(shape.d_qk));
  const auto entry = [&] {
    const double x = shape.data == Data::tied ? static_cast<double>(random.integer(-1, 1)) : random.normal();
    return shape.is_double ? x : static_cast<double>(static_cast<float>(x));
  };
  raw.q.resize(raw.h_q * raw.s_q * raw.d_qk);
  raw.k.resize(raw.h_kv * raw.n * raw.d_qk);
  raw.v.resize(shape.shared_kv ? 0 : raw.h_kv * raw.n * raw.d_v);
  for (double& x : raw.q) x = entry();
  for (double& x : raw.k) x = entry();
  for (double& x : raw.v) x = static_cast<double>(static_cast<float>(entry() + shape.value_shift));
  if (shape.data == Data::cancelling) {
    raw.sm_scale *= 1e-9;
    for (Index h = 0; h < raw.h_kv; ++h)
      for (Index j = 0; j < raw.n; ++j)
        for (Index c = 0; c < raw.d_v && !raw.v.empty(); ++c)
          raw.value(h, j, c) = (j % 2 == 0 ? 1e6 : -1e6) + std::ldexp(std::floor(raw.value(h, j, c) * 16), -4);
  }
  if (shape.data == Data::duplicated)
    for (Index h = 0; h < raw.h_kv; ++h)
      for (Index j = 1; j < raw.n; ++j) {
        if (random.chance(0.5)) continue;
        const Index from = random.integer(0, j - 1);
        for (Index c = 0; c < raw.d_qk; ++c) raw.key(h, j, c) = raw.key(h, from, c);
        for (Index c = 0; c < raw.d_v && !raw.v.empty(); ++c) raw.value(h, j, c) = raw.value(h, from, c);
      }
  if (shape.sink)
    for (Index h = 0; h < raw.h_q; ++h)
      raw.sink_logit.push_back(random.normal() * shape.score_spread + random.uniform(0, 3));
  default_positions(raw);
  return raw;
}

}  // namespace lacuna::testing_core
