// Multi-head latent attention as attention sees it, twice, over the same projections (mla_projections.hpp) and the same
// latent rows [c ; k^R].
//
// Expanded, as in prefill: H heads of their own,
//
//   q_h = [q^n_h ; q^R_h] ,   k_h = [W^UK_h c ; k^R] ,   v_h = W^UV_h c ,   y = W^O [o_1; ...; o_H]     (1)
//
// Absorbed, as in decode (DeepSeek-V2, section 2.1.2; FlashMLA's README calls it the MQA mode). Since
// q^n . (W^UK c) = ((W^UK)^T q^n) . c and a weighted mean passes through W^UV,
//
//   q~_h = [(W^UK_h)^T q^n_h ; q^R_h] ,   k = [c ; k^R] ,   v = c ,   o_h = W^UV_h u_h                  (2)
//
// one KV head whose value is the first kv_lora_rank channels of its key; attention gives the latent mean u_h. Scores
// and outputs are equal in real arithmetic, and sm_scale is that of the expanded form in both.
#pragma once

#include <memory>

#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/mla_projections.hpp"

namespace lacuna {

class MlaAbsorbed final : public Mechanism {
 public:
  explicit MlaAbsorbed(std::shared_ptr<const Mla> mla);

  const MechanismShape& shape() const override { return shape_; }
  LayerCache start() const override;
  void append(std::span<const double> x, LayerCache& cache) const override;
  std::vector<QueryRows> queries(std::span<const double> x, Index first) const override;
  /// The same, of qr [tokens, q_lora_rank or d_model].
  std::vector<QueryRows> queries_of_low_rank(std::span<const double> qr, Index first) const;
  std::vector<double> output(std::span<const double> u, Index first) const override;

 private:
  std::shared_ptr<const Mla> mla_;
  MechanismShape shape_;
};

class MlaExpanded final : public Mechanism {
 public:
  explicit MlaExpanded(std::shared_ptr<const Mla> mla);

  const MechanismShape& shape() const override { return shape_; }
  LayerCache start() const override;
  void append(std::span<const double> x, LayerCache& cache) const override;
  std::vector<QueryRows> queries(std::span<const double> x, Index first) const override;
  std::vector<double> output(std::span<const double> o, Index first) const override;

  /// The keys and values of every head, from the cache of MlaAbsorbed and nothing else.
  LayerCache expand(const LayerCache& latent) const;

 private:
  void append_expanded(std::span<const double> latents, LayerCache& cache) const;

  std::shared_ptr<const Mla> mla_;
  MechanismShape shape_;
};

}  // namespace lacuna
