#include "core/mechanism/projected_attention.hpp"

#include <cmath>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

/// Rotates the first channels of each head of x [heads, d].
void rotate_heads(const Rope& rope, Index position, Index d, std::span<double> x) {
  for (std::size_t begin = 0; begin < x.size(); begin += d) rope.rotate(x.subspan(begin, rope.channels()), position);
}

/// Hands each head its part of x [heads, d].
void append_heads(const std::vector<double>& x, std::vector<std::vector<double>>& heads /* [heads][rows, d] */) {
  const auto d = static_cast<Index>(x.size() / heads.size());
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const auto begin = x.begin() + static_cast<Index>(h) * d;
    heads[h].insert(heads[h].end(), begin, begin + d);
  }
}

MechanismShape shape_of(const ProjectedConfig& config) {
  config.check();
  return {.d_model = config.d_model,
          .h_q = config.h_q,
          .h_kv = config.h_kv,
          .d_qk = config.d_qk,
          .d_v = config.d_v,
          .sm_scale = 1 / std::sqrt(static_cast<double>(config.d_qk))};
}

}  // namespace

void ProjectedConfig::check() const {
  require_positive({{"d_model", d_model}, {"h_q", h_q}, {"h_kv", h_kv}, {"d_qk", d_qk}, {"d_v", d_v}});
  if (h_q % h_kv != 0) throw UsageError(fmt::format("h_kv is {}; it must divide h_q, which is {}", h_kv, h_q));
  if (rope) require_rope("rope channels", *rope, {"d_qk", d_qk});
}

ProjectedWeights ProjectedWeights::random(const ProjectedConfig& config, double score_std, std::uint64_t seed) {
  config.check();
  const double std_model = 1 / std::sqrt(static_cast<double>(config.d_model));
  const Index heads_out = config.h_q * config.d_v;
  return {
      .wq = Matrix::random(config.h_q * config.d_qk, config.d_model, score_std * std_model, {seed, "projected.wq"}),
      .wk = Matrix::random(config.h_kv * config.d_qk, config.d_model, std_model, {seed, "projected.wk"}),
      .wv = Matrix::random(config.h_kv * config.d_v, config.d_model, std_model, {seed, "projected.wv"}),
      .wo = Matrix::random(config.d_model, heads_out, 1 / std::sqrt(static_cast<double>(heads_out)),
                           {seed, "projected.wo"}),
  };
}

ProjectedAttention::ProjectedAttention(const ProjectedConfig& config, ProjectedWeights weights)
    : shape_(shape_of(config)), weights_(std::move(weights)), rope_(config.rope.value_or(RopeParameters{})) {
  require_shape("wq", weights_.wq, config.h_q * config.d_qk, config.d_model);
  require_shape("wk", weights_.wk, config.h_kv * config.d_qk, config.d_model);
  require_shape("wv", weights_.wv, config.h_kv * config.d_v, config.d_model);
  require_shape("wo", weights_.wo, config.d_model, config.h_q * config.d_v);
}

LayerCache ProjectedAttention::start() const {
  LayerCache cache;
  cache.k.resize(shape_.h_kv);
  cache.v.resize(shape_.h_kv);
  return cache;
}

void ProjectedAttention::append(std::span<const double> x, LayerCache& cache) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) % shape_.d_model == 0);
  for (; !x.empty(); x = x.subspan(shape_.d_model)) {
    const auto token = x.first(shape_.d_model);
    std::vector<double> k = weights_.wk * token;
    rotate_heads(rope_, cache.tokens, shape_.d_qk, k);
    append_heads(k, cache.k);
    append_heads(weights_.wv * token, cache.v);
    cache.key_position.push_back(cache.tokens++);
  }
}

QueryRows ProjectedAttention::query(std::span<const double> x, Index position) const {
  QueryRows rows;
  rows.q = weights_.wq * x;
  rotate_heads(rope_, position, shape_.d_qk, rows.q);
  return rows;
}

std::vector<double> ProjectedAttention::output(std::span<const double> o, Index /*position*/) const {
  return weights_.wo * o;
}

}  // namespace lacuna
