#include "core/mechanism/projected_attention.hpp"

#include <cmath>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

/// Rotates the first channels of each head of x [heads, d].
void rotate_heads(const Rope& rope, Index position, Index d, std::span<double> x) {
  for (std::size_t begin = 0; begin < x.size(); begin += d) rope.rotate(x.subspan(begin, rope.channels()), position);
}

/// W x of each token, and the bias where there is one.
std::vector<double> project(const Matrix& weight, const std::vector<double>& bias, std::span<const double> x) {
  std::vector<double> y = weight * x;
  if (bias.empty()) return y;
  for (std::size_t begin = 0; begin < y.size(); begin += bias.size())
    for (std::size_t c = 0; c < bias.size(); ++c) y[begin + c] += bias[c];
  return y;
}

/// Hands each head its part of x [heads, d].
void append_heads(std::span<const double> x, std::vector<std::vector<double>>& heads /* [heads][rows, d] */) {
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
          .has_rows = config.owns_cache && config.local_window == 0,
          .local_window = config.local_window,
          .sm_scale = 1 / std::sqrt(static_cast<double>(config.d_qk))};
}

}  // namespace

void ProjectedConfig::check() const {
  require_positive({{"d_model", d_model}, {"h_q", h_q}, {"h_kv", h_kv}, {"d_qk", d_qk}, {"d_v", d_v}});
  if (h_q % h_kv != 0) throw UsageError(fmt::format("h_kv is {}; it must divide h_q, which is {}", h_kv, h_q));
  if (rope) require_rope("rope channels", *rope, {"d_qk", d_qk});
  if (local_window < 0) throw UsageError(fmt::format("local_window is {}; it must not be negative", local_window));
  if (local_window > 0 && !owns_cache)
    throw UsageError("local_window is set; a layer that reads another layer's rows has no window");
}

ProjectedWeights ProjectedWeights::random(const ProjectedConfig& config, double score_std, std::uint64_t seed) {
  config.check();
  const double std_model = 1 / std::sqrt(static_cast<double>(config.d_model));
  const Index queries = config.h_q * config.d_qk, keys = config.h_kv * config.d_qk, values = config.h_kv * config.d_v;
  const Index heads_out = config.h_q * config.d_v;
  ProjectedWeights weights;
  weights.wq = Matrix::random(queries, config.d_model, score_std * std_model, {seed, "projected.wq"});
  weights.wo =
      Matrix::random(config.d_model, heads_out, 1 / std::sqrt(static_cast<double>(heads_out)), {seed, "projected.wo"});
  if (config.owns_cache) {
    weights.wk = Matrix::random(keys, config.d_model, std_model, {seed, "projected.wk"});
    weights.wv = Matrix::random(values, config.d_model, std_model, {seed, "projected.wv"});
  }
  if (!config.bias) return weights;
  const auto random_bias = [&](Index size, std::string_view purpose) {
    const CounterRng rng(seed, purpose);
    std::vector<double> bias(size);
    for (Index c = 0; c < size; ++c) bias[c] = 0.02 * rng.normal(c);
    return bias;
  };
  weights.bq = random_bias(queries, "projected.bq");
  weights.bo = random_bias(config.d_model, "projected.bo");
  if (config.owns_cache) {
    weights.bk = random_bias(keys, "projected.bk");
    weights.bv = random_bias(values, "projected.bv");
  }
  return weights;
}

ProjectedAttention::ProjectedAttention(const ProjectedConfig& config, ProjectedWeights weights)
    : owns_cache_(config.owns_cache),
      shape_(shape_of(config)),
      weights_(std::move(weights)),
      rope_(config.rope.value_or(RopeParameters{})) {
  const Index queries = config.h_q * config.d_qk;
  const Index keys = config.owns_cache ? config.h_kv * config.d_qk : 0;
  const Index values = config.owns_cache ? config.h_kv * config.d_v : 0;
  const Index kv_columns = config.owns_cache ? config.d_model : 0;
  require_shape("wq", weights_.wq, queries, config.d_model);
  require_shape("wk", weights_.wk, keys, kv_columns);
  require_shape("wv", weights_.wv, values, kv_columns);
  require_shape("wo", weights_.wo, config.d_model, config.h_q * config.d_v);
  require_size("bq", weights_.bq, config.bias ? queries : 0);
  require_size("bk", weights_.bk, config.bias ? keys : 0);
  require_size("bv", weights_.bv, config.bias ? values : 0);
  require_size("bo", weights_.bo, config.bias ? config.d_model : 0);
}

LayerCache ProjectedAttention::start() const {
  LayerCache cache;
  const Index h_kv = shape_.h_kv;
  if (shape_.local_window > 0) {
    cache.local.resize(h_kv);
    cache.local_v.resize(h_kv);
  } else if (owns_cache_) {
    cache.k.resize(h_kv);
    cache.v.resize(h_kv);
  }
  return cache;
}

void ProjectedAttention::append(std::span<const double> x, LayerCache& cache) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) % shape_.d_model == 0);
  if (owns_cache_)
    append_rows(x, cache);
  else
    cache.tokens += static_cast<Index>(x.size()) / shape_.d_model;
}

void ProjectedAttention::append_rows(std::span<const double> x, LayerCache& cache) const {
  const bool is_local = shape_.local_window > 0;
  const Index keys = shape_.h_kv * shape_.d_qk, values = shape_.h_kv * shape_.d_v;
  std::vector<double> k = project(weights_.wk, weights_.bk, x);
  const std::vector<double> v = project(weights_.wv, weights_.bv, x);
  for (Index t = 0; t < static_cast<Index>(x.size()) / shape_.d_model; ++t) {
    const std::span<double> row = std::span(k).subspan(t * keys, keys);
    rotate_heads(rope_, cache.tokens, shape_.d_qk, row);
    append_heads(row, is_local ? cache.local : cache.k);
    append_heads(std::span(v).subspan(t * values, values), is_local ? cache.local_v : cache.v);
    if (!is_local) cache.key_position.push_back(cache.tokens);
    ++cache.tokens;
  }
}

std::vector<QueryRows> ProjectedAttention::queries(std::span<const double> x, Index first) const {
  const Index width = shape_.h_q * shape_.d_qk;
  const std::vector<double> q = project(weights_.wq, weights_.bq, x);
  std::vector<QueryRows> rows(q.size() / width);
  for (Index t = 0; t < static_cast<Index>(rows.size()); ++t) {
    rows[t].q.assign(q.begin() + t * width, q.begin() + (t + 1) * width);
    rotate_heads(rope_, first + t, shape_.d_qk, rows[t].q);
  }
  return rows;
}

std::vector<double> ProjectedAttention::output(std::span<const double> o, Index /*first*/) const {
  return project(weights_.wo, weights_.bo, o);
}

}  // namespace lacuna
