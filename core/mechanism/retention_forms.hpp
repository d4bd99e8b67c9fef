// Gated retention of one head in the three forms that YOCO uses (Sun et al. 2024, arXiv:2405.05254, section 3.1;
// microsoft/unilm YOCO/yoco/models/decoder/kernel/gate_recurrent.py). With log decays g_t <= 0, a state S of
// [d_qk, d_v] and row vectors q, k, v:
//
//   recurrent   S_t = e^{g_t} S_{t-1} + k_t^T v_t ,   o_t = q_t S_t                                     (1)
//   parallel    o_i = sum_{j <= i} e^{G_i - G_j} (q_i . k_j) v_j ,   G_i = g_1 + ... + g_i              (2)
//   chunked     of a chunk b..e whose sums G start at b, S the state before it:
//               o_i = e^{G_i} q_i S + sum_{b <= j <= i} e^{G_i - G_j} (q_i . k_j) v_j                   (3)
//               S <- e^{G_e} S + sum_{b <= j <= e} e^{G_e - G_j} k_j^T v_j                              (4)
//
// Unrolling (1) gives (2) with S_0 = 0, and (3) with the state of an earlier token in its place: the three are equal in
// real arithmetic. Decode runs (1), whose state is all that is kept, however long the prefix.
#pragma once

#include <span>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

/// n tokens of one head; keys carry the score scale.
struct RetentionTokens {
  Index d_qk = 0;
  Index d_v = 0;
  std::span<const double> q;          // [n, d_qk]
  std::span<const double> k;          // [n, d_qk]
  std::span<const double> v;          // [n, d_v]
  std::span<const double> log_decay;  // [n]

  Index count() const { return static_cast<Index>(log_decay.size()); }
};

/// Equation 1; state [d_qk, d_v] before the first token, then after the last. Returns o [n, d_v].
std::vector<double> retention_recurrent(const RetentionTokens& tokens, std::span<double> state);

/// Equation 2, from an empty state. Returns o [n, d_v].
std::vector<double> retention_parallel(const RetentionTokens& tokens);

/// Equations 3 and 4 in chunks of so many tokens, the last one shorter. Returns o [n, d_v].
std::vector<double> retention_chunked(const RetentionTokens& tokens, Index chunk, std::span<double> state);

}  // namespace lacuna
