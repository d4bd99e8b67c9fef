// One attention problem: the queries of one layer of one sequence against its cache.
//
//   s_ij = sm_scale q_i . k_j ,   p_ij = exp(s_ij - m_i) / (sum_j exp(s_ij - m_i) + exp(sink - m_i)) ,
//   o_i = sum_j p_ij v_j
//
// over the rows j that the query sees: the cached rows whose position is not after the query's, and, in layers that
// have them, the local rows of the last few tokens. Positions are absolute, so any number of queries meets any number
// of keys. KV heads map by kv = floor(h * h_kv / h_q): MHA, GQA and MQA are the same code.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

/// Rows of single tokens that a query reads beside the cached rows, whatever a path selects: the sliding window of the
/// DeepSeek-V4 layers, whose cached rows are compressed entries. Row p is the token at position p.
struct LocalRows {
  Tensor k;          // [h_kv, tokens, d_qk]
  Tensor v;          // [h_kv, tokens, d_v]; empty when K = V is one shared state
  Index window = 0;  ///< tokens, the query's own among them; 0: no local rows
  /// Queries from this position on do not see the rows of tokens before it (a replay began here); 0: there is none.
  Index barrier = 0;
};

/// What a lightning indexer scores with: I_ij = sum_h weight_ih max(q_ih . k_j, 0).
struct IndexTensors {
  Tensor q;       // [index_heads, s_q, d_index]
  Tensor weight;  // [1, s_q, index_heads], signed
  Tensor k;       // [1, s_kv, d_index]
  /// Keys that lie in the published decoder's shared slot when this layer's own were not renewed; empty: none.
  Tensor slot_k;  // [1, >= s_kv, d_index]
};

/// What the query at one position sees, numbered from 0: the first `cached` rows of the cache, then the local rows of
/// `local` tokens from `local_begin` on.
struct SeenRows {
  Index cached = 0;
  Index local_begin = 0;
  Index local = 0;
  Index count() const { return cached + local; }
  /// The same but for the first `absent` of the local rows.
  SeenRows without_oldest_local(Index absent) const { return {cached, local_begin + absent, local - absent}; }
};

struct AttentionProblem {
  Tensor q;                           // [h_q, s_q, d_qk]
  Tensor k;                           // [h_kv, s_kv, d_qk]
  Tensor v;                           // [h_kv, s_kv, d_v]; empty when K = V is one shared state
  Index value_channels = 0;           ///< of a shared state: its first so many channels are the value; 0: all
  std::vector<Index> query_position;  // [s_q], ascending
  std::vector<Index> key_position;    // [s_kv], ascending: the last position that the row contains
  std::vector<double> sink_logit;     // [h_q], or empty
  double sm_scale = 1;
  Index stored_element_bytes = 4;  ///< of K and V as they are stored: 2 for f16 and bf16
  LocalRows local = {};
  std::optional<IndexTensors> index = {};     ///< when the layer has an indexer of its own
  std::optional<Index> selection_layer = {};  ///< label of the layer whose selection it takes over, when it has none

  Index h_q() const { return q.outer(); }
  Index h_kv() const { return k.outer(); }
  Index s_q() const { return q.rows(); }
  Index s_kv() const { return k.rows(); }
  Index d_qk() const { return k.width(); }
  bool shared_kv() const { return v.width() == 0; }
  Index d_v() const {
    if (!shared_kv()) return v.width();
    return value_channels > 0 ? value_channels : k.width();
  }

  Index kv_head_of(Index head) const { return head * h_kv() / h_q(); }
  Rows queries(Index head) const { return q[head]; }
  Rows keys(Index kv_head) const { return k[kv_head]; }
  Rows values(Index kv_head) const { return shared_kv() ? k[kv_head].channels(d_v()) : v[kv_head]; }
  std::optional<double> sink(Index head) const {
    return sink_logit.empty() ? std::nullopt : std::optional<double>(sink_logit[head]);
  }

  /// Cached rows at or before the position; they are the first so many, since key positions ascend.
  Index visible_keys(Index position) const {
    return std::upper_bound(key_position.begin(), key_position.end(), position) - key_position.begin();
  }
  SeenRows seen(Index position) const {
    const Index end = std::min(position + 1, local.k.rows());
    const Index begin = std::max<Index>(position + 1 - local.window, position < local.barrier ? 0 : local.barrier);
    return {visible_keys(position), begin, std::max<Index>(end - begin, 0)};
  }
  Rows local_keys(Index kv_head) const { return local.k[kv_head]; }
  Rows local_values(Index kv_head) const { return shared_kv() ? local.k[kv_head].channels(d_v()) : local.v[kv_head]; }
  /// Rows in the numbering of `seen`.
  Rows seen_keys(Index kv_head, const SeenRows& seen) const {
    if (seen.local == 0) return keys(kv_head);
    return keys(kv_head).followed_by(seen.cached, local_keys(kv_head), seen.local_begin, seen.local);
  }
  Rows seen_values(Index kv_head, const SeenRows& seen) const {
    if (seen.local == 0) return values(kv_head);
    return values(kv_head).followed_by(seen.cached, local_values(kv_head), seen.local_begin, seen.local);
  }
  /// Last position that row j in the numbering of `seen` contains.
  Index seen_position(const SeenRows& seen, Index j) const {
    return j < seen.cached ? key_position[j] : seen.local_begin + (j - seen.cached);
  }
  /// Stored bytes of one cached row (K and V of one KV head); a shared state is stored once. A local row has as many.
  Index row_bytes() const { return stored_element_bytes * (d_qk() + (shared_kv() ? 0 : d_v())); }
};

}  // namespace lacuna
