// One attention problem: the queries of one layer of one sequence against its cache.
//
//   s_ij = sm_scale q_i . k_j ,   p_ij = exp(s_ij - m_i) / (sum_j exp(s_ij - m_i) + exp(sink - m_i)) ,   o_i = sum_j
//   p_ij v_j
//
// over the visible keys j: those whose position is not after the query's. Positions are absolute, so any number of
// queries meets any number of keys. KV heads map by kv = floor(h * h_kv / h_q): MHA, GQA and MQA are the same code.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

struct AttentionProblem {
  Tensor q;                           // [h_q, s_q, d_qk]
  Tensor k;                           // [h_kv, s_kv, d_qk]
  Tensor v;                           // [h_kv, s_kv, d_v]; empty when K = V is one shared state
  std::vector<Index> query_position;  // [s_q], ascending
  std::vector<Index> key_position;    // [s_kv], ascending: the last position that the row contains
  std::vector<double> sink_logit;     // [h_q], or empty
  double sm_scale = 1;
  Index stored_element_bytes = 4;  ///< of K and V as they are stored: 2 for f16 and bf16

  Index h_q() const { return q.outer(); }
  Index h_kv() const { return k.outer(); }
  Index s_q() const { return q.rows(); }
  Index s_kv() const { return k.rows(); }
  Index d_qk() const { return k.width(); }
  bool shared_kv() const { return v.empty(); }
  Index d_v() const { return shared_kv() ? k.width() : v.width(); }

  Index kv_head_of(Index head) const { return head * h_kv() / h_q(); }
  Rows queries(Index head) const { return q[head]; }
  Rows keys(Index kv_head) const { return k[kv_head]; }
  Rows values(Index kv_head) const { return shared_kv() ? k[kv_head] : v[kv_head]; }
  std::optional<double> sink(Index head) const {
    return sink_logit.empty() ? std::nullopt : std::optional<double>(sink_logit[head]);
  }

  /// Keys at or before the position; they are the first so many rows, since key positions ascend.
  Index visible_keys(Index position) const {
    return std::upper_bound(key_position.begin(), key_position.end(), position) - key_position.begin();
  }
  /// Stored bytes of one cached row (K and V of one KV head); a shared state is stored once.
  Index row_bytes() const { return stored_element_bytes * (d_qk() + (shared_kv() ? 0 : d_v())); }
};

}  // namespace lacuna
