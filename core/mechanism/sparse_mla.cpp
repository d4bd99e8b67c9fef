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
  for (; !x.empty(); x = x.subspan(shape_.d_model)) {
    std::vector<double> k = indexer_.wk * x.first(shape_.d_model);
    layer_norm(k, indexer_.k_norm_gain, indexer_.k_norm_bias, mla_->config().eps);
    index_rope_.rotate(std::span(k).first(index_rope_.channels()), position++);
    cache.index_k.insert(cache.index_k.end(), k.begin(), k.end());
  }
}

QueryRows SparseMla::query(std::span<const double> x, Index position) const {
  const std::vector<double> qr = mla_->low_rank_query(x);
  QueryRows rows = main_.query_of_low_rank(qr, position);
  rows.index_q = indexer_.wq * qr;
  for (Index i = 0; i < shape_.index_heads; ++i)
    index_rope_.rotate(std::span(rows.index_q).subspan(i * shape_.d_index, index_rope_.channels()), position);
  rows.index_weight = indexer_.ww * x;
  const double scale = 1 / std::sqrt(static_cast<double>(shape_.index_heads) * static_cast<double>(shape_.d_index));
  for (double& w : rows.index_weight) w *= scale;
  return rows;
}

std::vector<double> SparseMla::output(std::span<const double> u, Index position) const {
  return main_.output(u, position);
}

}  // namespace lacuna
