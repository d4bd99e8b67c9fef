#include "core/mechanism/token_indexer_alignment.hpp"

#include <algorithm>
#include <cmath>

#include "core/mechanism/index_heads.hpp"

namespace lacuna {
namespace {

/// y += a x
void add_multiple(double a, std::span<const double> x, std::span<double> y) {
  for (std::size_t c = 0; c < y.size(); ++c) y[c] += a * x[c];
}

/// Equations 1 and 2, p < d_r.
Index rotated_channel(Index p, Index d_r) { return p < d_r / 2 ? 2 * p : 2 * (p - d_r / 2) + 1; }

/// N of equation 3.
Index latent_count(const SparseMlaConfig& config) {
  return std::min(config.d_index - config.mla.qk_rope, config.mla.kv_lora_rank);
}

/// Equation 3, n < N.
Index latent_channel(const SparseMlaConfig& config, Index n) {
  return n * config.mla.kv_lora_rank / latent_count(config);
}

/// The rows of A_h, in the channels of the index and times `sign`, from row `first` of wq on.
void align_query_head(const SparseMlaConfig& config, const MlaWeights& mla, Index h, double sign, Index first,
                      Matrix& wq) {
  const MlaConfig& main = config.mla;
  const Index query = h * main.d_qk();              // rows of W^QB of this head
  const Index key = h * (main.qk_nope + main.d_v);  // rows of W^KVB of this head
  for (Index p = 0; p < main.qk_rope; ++p)
    add_multiple(sign, mla.wqb.row(query + main.qk_nope + rotated_channel(p, main.qk_rope)), wq.row(first + p));
  for (Index n = 0; n < latent_count(config); ++n)
    for (Index a = 0; a < main.qk_nope; ++a)
      add_multiple(sign * mla.wkvb.row(key + a)[latent_channel(config, n)], mla.wqb.row(query + a),
                   wq.row(first + main.qk_rope + n));
}

}  // namespace

TokenIndexerWeights aligned_token_indexer(const SparseMlaConfig& config, const MlaWeights& mla) {
  config.check();
  const MlaConfig& main = config.mla;
  TokenIndexerWeights weights{
      .wq = Matrix(config.index_heads * config.d_index, main.query_input()),
      .wk = Matrix(config.d_index, main.d_model),
      .k_norm_gain = std::vector<double>(config.d_index, 1.0),
      .k_norm_bias = std::vector<double>(config.d_index, 0.0),
      .ww = Matrix(config.index_heads, main.d_model),
  };
  for (Index p = 0; p < main.qk_rope; ++p)
    add_multiple(1, mla.wkva.row(main.kv_lora_rank + rotated_channel(p, main.qk_rope)), weights.wk.row(p));
  for (Index n = 0; n < latent_count(config); ++n) {
    const Index channel = latent_channel(config, n);
    add_multiple(mla.kv_norm[channel], mla.wkva.row(channel), weights.wk.row(main.qk_rope + n));
  }
  for (Index i = 0; i < config.index_heads; ++i) {
    const FollowedHead followed = followed_head(config.index_heads, main.heads, i);
    align_query_head(config, mla, followed.main_head, followed.sign, i * config.d_index, weights.wq);
    weights.ww.row(i)[0] = followed.weight;
  }
  return weights;
}

TokenIndexerWeights random_token_indexer(const SparseMlaConfig& config, double score_std, std::uint64_t seed) {
  config.check();
  const double std_model = 1 / std::sqrt(static_cast<double>(config.mla.d_model));
  const double std_query = score_std / std::sqrt(static_cast<double>(config.mla.query_input()));
  return {
      .wq = Matrix::random(config.index_heads * config.d_index, config.mla.query_input(), std_query,
                           {seed, "sparse_mla.index_wq"}),
      .wk = Matrix::random(config.d_index, config.mla.d_model, std_model, {seed, "sparse_mla.index_wk"}),
      .k_norm_gain = std::vector<double>(config.d_index, 1.0),
      .k_norm_bias = std::vector<double>(config.d_index, 0.0),
      .ww = Matrix::random(config.index_heads, config.mla.d_model, std_model, {seed, "sparse_mla.index_ww"}),
  };
}

TokenIndexerWeights mixed_token_indexer(double quality, const TokenIndexerWeights& aligned,
                                        const TokenIndexerWeights& random) {
  if (!(quality >= 0 && quality <= 1))
    throw UsageError(fmt::format("index_quality is {}; it must lie in [0, 1]", quality));
  return {
      .wq = mix(quality, aligned.wq, random.wq),
      .wk = mix(quality, aligned.wk, random.wk),
      .k_norm_gain = aligned.k_norm_gain,
      .k_norm_bias = aligned.k_norm_bias,
      .ww = mix(quality, aligned.ww, random.ww),
  };
}

SparseMlaWeights SparseMlaWeights::random(const SparseMlaConfig& config, double score_std, double index_quality,
                                          std::uint64_t seed) {
  config.check();
  MlaWeights mla = MlaWeights::random(config.mla, score_std, seed);
  TokenIndexerWeights indexer = mixed_token_indexer(index_quality, aligned_token_indexer(config, mla),
                                                    random_token_indexer(config, score_std, seed));
  return {std::move(mla), std::move(indexer)};
}

}  // namespace lacuna
