// The attention layer of DeepSeek-V4 and V4.1-Flash: every head reads one shared state per token or group, which is its
// key and its value at once.
//
//   qr_t    = RMSNorm(W_qa x_t) ,   q_t = W_qb qr_t                                       [heads, head_dim]         (1)
//   q_t,h  <- q_t,h / sqrt(mean(q_t,h^2) + eps)                                           V4 only                   (2)
//   S_t     = RMSNorm(W_kv x_t)                                                           local rows                (3)
//   E_j     = latent_j of the layer's compressor                                          entries (compressor.hpp)  (4)
//
// with RoPE on the last channels: of q and S at position t, of E at r j. A query reads the local rows of the last
// `local_window` tokens and entries, in one softmax of scale head_dim^(-1/2) with a sink logit per head. A value has
// been rotated by its own position, so every head's output o_h is rotated back by the query's,
//
//   o_h    <- RoPE^(-1)(o_h, t) ,                                                                                   (5)
//
// after which it depends on differences of positions only. The heads, in g groups of consecutive ones, are projected to
//
//   y_t     = W_b [ W_a,1 o_1 ; ... ; W_a,g o_g ] ,   o_i = the outputs of group i, [heads / g * head_dim] .        (6)
//
// Sources: arXiv:2606.19348, section 2.3; deepseek-ai/DeepSeek-V4-Flash and deepseek-ai/DeepSeek-V4.1-Flash,
// inference/model.py. The precision of the stored rows is a path's concern.
#pragma once

#include <optional>

#include "core/mechanism/compressor.hpp"
#include "core/mechanism/indexer.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/shared_state_weights.hpp"

namespace lacuna {

class SharedState final : public Mechanism {
 public:
  SharedState(const SharedStateConfig& config, SharedStateWeights weights);

  const MechanismShape& shape() const override { return shape_; }
  LayerCache start() const override;
  void append(std::span<const double> x, LayerCache& cache) const override;
  std::vector<QueryRows> queries(std::span<const double> x, Index first) const override;
  std::vector<double> output(std::span<const double> o, Index first) const override;

 private:
  void append_local(std::span<const double> x, LayerCache& cache) const;
  void append_entries(std::span<const double> x, LayerCache& cache) const;
  void rotate_last(std::span<double> row /* [head_dim] */, Index position) const;

  SharedStateConfig config_;
  SharedStateWeights weights_;  // without the compressor's and the indexer's, which those hold
  MechanismShape shape_;
  Rope rope_;
  std::optional<Compressor> compressor_;
  std::optional<Indexer> indexer_;
};

}  // namespace lacuna
