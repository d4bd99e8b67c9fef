#include "core/mechanism/sparse_mla.hpp"

#include <cmath>

#include "core/mechanism/norm.hpp"
#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

const SparseMlaConfig& checked(const SparseMlaConfig& config) {
  config.check();
  return config;
}

}  // namespace

void SparseMlaConfig::check() const {
  mla.check();
  require_positive({{"index_heads", index_heads}, {"d_index", d_index}});
  require_rope("qk_rope", mla.rope(RopePairs::half_split), {"d_index", d_index});
}

SparseMla::SparseMla(const SparseMlaConfig& config, SparseMlaWeights weights)
    : mla_(std::make_shared<const Mla>(checked(config).mla, std::move(weights.mla))),
      main_(mla_),
      indexer_(std::move(weights.indexer)),
      index_rope_(config.mla.rope(RopePairs::half_split)),
      shape_(main_.shape()) {
  require_shape("indexer wq", indexer_.wq, config.index_heads * config.d_index, config.mla.query_input());
  require_shape("indexer wk", indexer_.wk, config.d_index, config.mla.d_model);
  require_size("indexer k_norm_gain", indexer_.k_norm_gain, config.d_index);
  require_size("indexer k_norm_bias", indexer_.k_norm_bias, config.d_index);
  require_shape("indexer ww", indexer_.ww, config.index_heads, config.mla.d_model);
  shape_.index_heads = config.index_heads;
  shape_.d_index = config.d_index;
}

void SparseMla::append(std::span<const double> x, LayerCache& cache) const {
  Index position = cache.tokens;
  main_.append(x, cache);
  std::vector<double> keys = indexer_.wk * x;
  for (std::span<double> rest = keys; !rest.empty(); rest = rest.subspan(shape_.d_index)) {
    const std::span<double> k = rest.first(shape_.d_index);
    layer_norm(k, indexer_.k_norm_gain, indexer_.k_norm_bias, mla_->config().eps);
    index_rope_.rotate(k.first(index_rope_.channels()), position++);
  }
  cache.index_k.insert(cache.index_k.end(), keys.begin(), keys.end());
}

std::vector<QueryRows> SparseMla::queries(std::span<const double> x, Index first) const {
  const std::vector<double> qr = mla_->low_rank_query(x);
  std::vector<QueryRows> rows = main_.queries_of_low_rank(qr, first);
  const std::vector<double> index_q = indexer_.wq * qr, index_weight = indexer_.ww * x;
  const Index heads = shape_.index_heads, width = heads * shape_.d_index;
  const double scale = 1 / std::sqrt(static_cast<double>(heads) * static_cast<double>(shape_.d_index));
  for (Index t = 0; t < static_cast<Index>(rows.size()); ++t) {
    QueryRows& of_token = rows[t];
    of_token.index_q.assign(index_q.begin() + t * width, index_q.begin() + (t + 1) * width);
    for (Index i = 0; i < heads; ++i)
      index_rope_.rotate(std::span(of_token.index_q).subspan(i * shape_.d_index, index_rope_.channels()), first + t);
    of_token.index_weight.assign(index_weight.begin() + t * heads, index_weight.begin() + (t + 1) * heads);
    for (double& w : of_token.index_weight) w *= scale;
  }
  return rows;
}

std::vector<double> SparseMla::output(std::span<const double> u, Index first) const { return main_.output(u, first); }

}  // namespace lacuna
