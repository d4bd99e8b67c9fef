// Multi-head, grouped-query and multi-query attention with their projections.
//
//   q_h = W^Q_h x_t ,   k_g = W^K_g x_t ,   v_g = W^V_g x_t            h < h_q ,  g < h_kv              (1)
//   q_h, k_g <- RoPE(., t) on their first rope.channels channels, if any                               (2)
//   s_h(t, j) = d_qk^-1/2 q_h . k_g(j) ,   g = floor(h h_kv / h_q)                                      (3)
//   y_t = W^O [o_1; ...; o_h_q]                                                                         (4)
//
// MHA (Vaswani et al. 2017, section 3.2.2) is h_kv = h_q, MQA (Shazeer 2019) h_kv = 1, GQA (Ainslie et al. 2023) what
// lies between. Values are not rotated. With `bias` every projection has a constant added, as in GPT-2.
//
// With local_window = w the layer is sliding-window attention: its rows are local rows, of which the query at t reads
// those of tokens max(0, t - w + 1) to t. With owns_cache = false it has no rows and no W^K and W^V of its own and
// reads another layer's, as the layers of YOCO's cross-decoder do.
#pragma once

#include <optional>

#include "core/mechanism/matrix.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/rope.hpp"

namespace lacuna {

struct ProjectedConfig {
  Index d_model = 0;
  Index h_q = 0;
  Index h_kv = 0;  ///< a divisor of h_q
  Index d_qk = 0;
  Index d_v = 0;
  std::optional<RopeParameters> rope = {};
  Index local_window = 0;  ///< tokens, the query's own among them; 0: the whole prefix
  bool bias = false;
  bool owns_cache = true;  ///< false: reads the rows of another layer, of the same extents

  /// UsageError naming the field.
  void check() const;
};

struct ProjectedWeights {
  Matrix wq;  // [h_q * d_qk, d_model]
  Matrix wk;  // [h_kv * d_qk, d_model]
  Matrix wv;  // [h_kv * d_v, d_model]
  Matrix wo;  // [d_model, h_q * d_v]
  // With config.bias, and empty without; wk, wv, bk and bv are empty in a layer without a cache of its own.
  std::vector<double> bq = {};  // [h_q * d_qk]
  std::vector<double> bk = {};  // [h_kv * d_qk]
  std::vector<double> bv = {};  // [h_kv * d_v]
  std::vector<double> bo = {};  // [d_model]

  /// Independent N(0, 1 / fan in), W^Q times score_std: for x of unit variance, scores have about that deviation.
  /// Biases N(0, 0.02^2).
  static ProjectedWeights random(const ProjectedConfig& config, double score_std, std::uint64_t seed);
};

class ProjectedAttention final : public Mechanism {
 public:
  ProjectedAttention(const ProjectedConfig& config, ProjectedWeights weights);

  const MechanismShape& shape() const override { return shape_; }
  LayerCache start() const override;
  void append(std::span<const double> x, LayerCache& cache) const override;
  std::vector<QueryRows> queries(std::span<const double> x, Index first) const override;
  std::vector<double> output(std::span<const double> o, Index first) const override;

 private:
  void append_rows(std::span<const double> x, LayerCache& cache) const;

  bool owns_cache_;
  MechanismShape shape_;
  ProjectedWeights weights_;
  Rope rope_;
};

}  // namespace lacuna
