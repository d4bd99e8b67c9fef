// Attention of one row in wide arithmetic, from the raw q, k, v. Which keys are visible is decided key by key, and the
// KV head by repetition, independently of core.
#pragma once

#include "core/approx/key_set.hpp"
#include "core/attention/problem.hpp"
#include "support/wide.hpp"

namespace lacuna::testing_core {

struct WideRow {
  WideVector s;               // [n] scores
  WideVector e;               // [n] exp(s_j - m)
  std::vector<WideVector> v;  // [n][d_v]
  Wide m = 0;                 ///< largest score, sink included
  Wide sink_e = 0;
  Wide z = 0;  ///< sum of e and sink_e
  bool has_sink = false;
  Index d_v = 0;

  Index visible() const { return static_cast<Index>(s.size()); }
  Wide p(Index j) const { return e[j] / z; }
  KeySet all() const { return key_range(0, visible()); }
  Wide log_sum_exp() const { return m + log(z); }

  /// Sum of e over the keys.
  Wide weight(const KeySet& keys) const {
    Wide sum = 0;
    for (const RowIndex j : keys) sum += e[j];
    return sum;
  }
  /// Exact mass of the keys.
  Wide mass(const KeySet& keys) const { return weight(keys) / z; }
  /// Softmax over the keys and the sink: the output of a path that attends just these; 0 over nothing.
  WideVector output(const KeySet& keys) const { return mean(keys, sink_e); }
  /// Mean value of the keys under the exact weights.
  WideVector mean(const KeySet& keys) const { return mean(keys, 0); }
  WideVector o() const { return output(all()); }
  /// ||output(before) - output(after)|| for after within before, as || sum_{lost} p_j (v_j - output(after)) || with p
  /// the softmax over `before`: the difference itself has no digits left below 2^-113 of the outputs.
  Wide move(const KeySet& before, const KeySet& after) const {
    const WideVector o_after = output(after);
    WideVector sum(d_v, Wide(0));
    for (const RowIndex j : set_difference(before, after))
      for (Index c = 0; c < d_v; ++c) sum[c] += e[j] * (v[j][c] - o_after[c]);
    const Wide before_z = weight(before) + sink_e;
    return before_z > 0 ? Wide(wide_norm(sum) / before_z) : Wide(0);
  }

 private:
  WideVector mean(const KeySet& keys, const Wide& extra) const {
    WideVector result(d_v, Wide(0));
    Wide sum = extra;
    for (const RowIndex j : keys) {
      sum += e[j];
      for (Index c = 0; c < d_v; ++c) result[c] += e[j] * v[j][c];
    }
    if (sum > 0)
      for (Wide& x : result) x /= sum;
    return result;
  }
};

inline WideRow wide_row(const AttentionProblem& problem, Index head, Index query) {
  WideRow row;
  const Index kv_head = head / (problem.h_q() / problem.h_kv());  // each KV head serves as many consecutive heads
  const Rows queries = problem.queries(head);
  const Rows keys = problem.keys(kv_head);
  const Rows values = problem.values(kv_head);
  row.d_v = problem.d_v();
  row.has_sink = !problem.sink_logit.empty();
  bool any = row.has_sink;
  if (row.has_sink) row.m = problem.sink_logit[head];
  for (Index j = 0; j < problem.s_kv(); ++j) {
    if (problem.key_position[j] > problem.query_position[query]) continue;
    Wide dot = 0;
    for (Index c = 0; c < problem.d_qk(); ++c) dot += Wide(queries.at(query, c)) * Wide(keys.at(j, c));
    row.s.push_back(Wide(problem.sm_scale) * dot);
    if (!any || row.s.back() > row.m) row.m = row.s.back();
    any = true;
    WideVector value;
    for (Index c = 0; c < row.d_v; ++c) value.push_back(Wide(values.at(j, c)));
    row.v.push_back(value);
  }
  for (const Wide& s : row.s) {
    row.e.push_back(exp(Wide(s - row.m)));
    row.z += row.e.back();
  }
  if (row.has_sink) row.sink_e = exp(Wide(Wide(problem.sink_logit[head]) - row.m));
  row.z += row.sink_e;
  return row;
}

}  // namespace lacuna::testing_core
