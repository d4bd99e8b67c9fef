// The gated retention layer of YOCO's self-decoder (Sun et al. 2024, arXiv:2405.05254, section 3.1; microsoft/unilm
// YOCO/yoco/models/decoder/gate_retention.py). It is no softmax attention: it keeps one state per head, of a size that
// does not grow, instead of rows. Per head h,
//
//   q = RoPE(W^Q_h x_t, t) ,   k = RoPE(W^K_h x_t, t) d_qk^(-1/2) ,   v = W^V_h x_t                     (1)
//   g = logsigmoid(w^D_h . x_t) / 16                                  the log decay, at most 0         (2)
//   S_t = e^g S_{t-1} + k^T v ,   o_h = q S_t                         (retention_forms.hpp)            (3)
//   o_h <- o_h / sqrt(mean(o_h^2) + eps)                              no gain                          (4)
//   y_t = W^O ( swish(W^G x_t) * [o_1; ...; o_H] ) ,   swish(z) = z / (1 + e^-z) ,  * elementwise       (5)
//
// Tokens go through the recurrent form one at a time: prefill, chunks and decode give the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/matrix.hpp"
#include "core/mechanism/retention_config.hpp"

namespace lacuna {

struct RetentionWeights {
  Matrix wq;      // [heads * d_qk, d_model]
  Matrix wk;      // [heads * d_qk, d_model]
  Matrix wv;      // [heads * d_v, d_model]
  Matrix wdecay;  // W^D [heads, d_model]
  Matrix wgate;   // W^G [heads * d_v, d_model]
  Matrix wo;      // [d_model, heads * d_v]

  /// Independent N(0, 1 / fan in).
  static RetentionWeights random(const RetentionConfig& config, std::uint64_t seed);
};

struct RetentionState {
  Index tokens = 0;       ///< appended so far
  std::vector<double> s;  // [heads, d_qk, d_v]
};

class Retention {
 public:
  Retention(const RetentionConfig& config, RetentionWeights weights);

  /// Before the first token: zeros.
  RetentionState start() const;
  /// x [tokens, d_model] of the tokens at positions state.tokens, state.tokens + 1, ...; returns y [tokens, d_model].
  std::vector<double> append(std::span<const double> x, RetentionState& state) const;

 private:
  RetentionConfig config_;
  RetentionWeights weights_;
  Rope rope_;
};

}  // namespace lacuna
