// DeepSeek sparse attention (DeepSeek-V3.2-Exp, inference/model.py): absorbed MLA (mla.hpp) whose layer also has a
// lightning indexer, which scores every token with small heads of its own.
//
//   q^I_i = W^QI_i qr_t              i < H_I, from the same qr_t as the main queries                    (1)
//   k^I_t = LayerNorm(W^KI x_t)      with gain and bias, one key per token                              (2)
//   q^I_i, k^I <- RoPE(., t) on their FIRST d_r channels, in half-split pairs                           (3)
//   w_i   = (W^W x_t)_i H_I^-1/2 d_I^-1/2                              signed                           (4)
//   I(t, j) = sum_i w_i max( q^I_i . k^I_j , 0 )                                                        (5)
//
// The rotated channels come first and in half-split pairs here, while those of MLA come last and are interleaved; base
// and YaRN are the same. The published code then multiplies q^I and k^I by a Hadamard matrix and stores them in fp8;
// neither is done here: the rotation leaves (5) as it is, and storage is a stage of a path.
#pragma once

#include "core/mechanism/mla.hpp"

namespace lacuna {

struct SparseMlaConfig {
  MlaConfig mla;
  Index index_heads = 0;  ///< H_I
  Index d_index = 0;      ///< d_I, at least qk_rope

  /// UsageError naming the field.
  void check() const;
};

struct TokenIndexerWeights {
  Matrix wq;                        // [index_heads * d_index, q_lora_rank or d_model], per head rope first
  Matrix wk;                        // [d_index, d_model], rope first
  std::vector<double> k_norm_gain;  // [d_index]
  std::vector<double> k_norm_bias;  // [d_index]
  Matrix ww;                        // [index_heads, d_model]
};

struct SparseMlaWeights {
  MlaWeights mla;
  TokenIndexerWeights indexer;

  /// Random MLA weights and an indexer whose agreement with them is `index_quality`, in [0, 1]
  /// (token_indexer_alignment.hpp).
  static SparseMlaWeights random(const SparseMlaConfig& config, double score_std, double index_quality,
                                 std::uint64_t seed);
};

class SparseMla final : public Mechanism {
 public:
  SparseMla(const SparseMlaConfig& config, SparseMlaWeights weights);

  const MechanismShape& shape() const override { return shape_; }
  LayerCache start() const override { return main_.start(); }
  void append(std::span<const double> x, LayerCache& cache) const override;
  std::vector<QueryRows> queries(std::span<const double> x, Index first) const override;
  std::vector<double> output(std::span<const double> u, Index first) const override;

 private:
  std::shared_ptr<const Mla> mla_;
  MlaAbsorbed main_;
  TokenIndexerWeights indexer_;
  Rope index_rope_;
  MechanismShape shape_;
};

}  // namespace lacuna
