// The projections of multi-head latent attention (MLA): DeepSeek-V2, section 2.1; DeepSeek-V3 and V3.2,
// inference/model.py. Both evaluations in mla.hpp are made of these.
//
//   qr_t              = RMSNorm(W^QA x_t) ,  or x_t without a low-rank query                            (1)
//   [q^n_h ; q^r_h]   = W^QB_h qr_t ,   q^R_h = RoPE(q^r_h, t)                                          (2)
//   [c'_t ; k^r_t]    = W^KVA x_t                                                                       (3)
//   c_t = RMSNorm(c'_t) ,   k^R_t = RoPE(k^r_t, t)                        the latent row [c ; k^R]      (4)
//   k^n_h = W^UK_h c ,   v_h = W^UV_h c ,   [W^UK_h ; W^UV_h] = W^KVB_h                                 (5)
//   s_h(t, j) = sm ( q^n_h . k^n_h(j) + q^R_h . k^R(j) ) ,   sm = (d_n + d_r)^-1/2 m^2                  (6)
//   y_t = W^O [o_1; ...; o_H]                                                                           (7)
//
// m = 0.1 mscale ln(factor) + 1 where YaRN stretches the context, else 1. RoPE pairs are interleaved. A latent row is
// normalised and rotated before it is cached, and is all that is cached: c + d_r numbers per token.
#pragma once

#include <optional>

#include "core/mechanism/matrix.hpp"
#include "core/mechanism/rope.hpp"

namespace lacuna {

struct MlaConfig {
  Index d_model = 0;
  Index heads = 0;
  Index q_lora_rank = 0;   ///< 0: no low-rank query, W^QB takes x (DeepSeek-V2-Lite)
  Index kv_lora_rank = 0;  ///< channels of the latent c
  Index qk_nope = 0;       ///< d_n, channels per head without position
  Index qk_rope = 0;       ///< d_r, rotated channels per head, even
  Index d_v = 0;           ///< channels of a head's value
  double rope_base = 10000;
  std::optional<Yarn> yarn = {};  ///< set where the context is longer than the original one
  double mscale = 1;
  double eps = 1e-6;  ///< of the norms

  /// UsageError naming the field.
  void check() const;
  Index d_qk() const { return qk_nope + qk_rope; }
  Index latent_width() const { return kv_lora_rank + qk_rope; }
  Index query_input() const { return q_lora_rank > 0 ? q_lora_rank : d_model; }
  double sm_scale() const;
  RopeParameters rope(RopePairs pairs) const;
};

struct MlaWeights {
  Matrix wqa;                   // [q_lora_rank, d_model], or empty without a low-rank query
  std::vector<double> q_norm;   // [q_lora_rank]
  Matrix wqb;                   // [heads * (d_n + d_r), q_lora_rank or d_model], per head nope first
  Matrix wkva;                  // [kv_lora_rank + d_r, d_model], latent first
  std::vector<double> kv_norm;  // [kv_lora_rank]
  Matrix wkvb;                  // [heads * (d_n + d_v), kv_lora_rank], per head key first
  Matrix wo;                    // [d_model, heads * d_v]

  /// Independent N(0, 1 / fan in), W^QB times score_std, norms of ones: for x of unit mean square, scores have about
  /// the deviation score_std m^2.
  static MlaWeights random(const MlaConfig& config, double score_std, std::uint64_t seed);
};

class Mla {
 public:
  Mla(const MlaConfig& config, MlaWeights weights);

  const MlaConfig& config() const { return config_; }

  // Of any number of tokens, the first of which stands at position `first`.

  /// x [tokens, d_model]; returns qr [tokens, q_lora_rank or d_model], equation 1.
  std::vector<double> low_rank_query(std::span<const double> x) const;
  /// [tokens, heads, d_n + d_r] = [q^n ; q^R], equation 2.
  std::vector<double> queries(std::span<const double> qr, Index first) const;
  /// x [tokens, d_model]; latent [tokens, c + d_r] = [c ; k^R], equations 3 and 4.
  void latent_rows(std::span<const double> x, Index first, std::span<double> latent) const;

  /// c [tokens, kv_lora_rank]; k_nope [tokens, d_n] = W^UK_h c.
  void key_nope(Index head, TokenVectors<const double> c, TokenVectors<double> k_nope) const;
  /// c [tokens, kv_lora_rank]; v [tokens, d_v] = W^UV_h c.
  void value(Index head, TokenVectors<const double> c, TokenVectors<double> v) const;
  /// q_nope [tokens, d_n]; q_latent [tokens, kv_lora_rank] = (W^UK_h)^T q_nope.
  void absorb(Index head, TokenVectors<const double> q_nope, TokenVectors<double> q_latent) const;
  /// o [tokens, heads, d_v]; returns y [tokens, d_model], equation 7.
  std::vector<double> output(std::span<const double> o) const;

 private:
  MlaConfig config_;
  Matrix wqa_, wqb_, wkva_, wo_;
  std::vector<double> q_norm_, kv_norm_;
  std::vector<Matrix> wuk_;  // [heads], each [d_n, kv_lora_rank]
  std::vector<Matrix> wuv_;  // [heads], each [d_v, kv_lora_rank]
  Rope rope_;
};

}  // namespace lacuna
