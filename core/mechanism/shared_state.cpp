#include "core/mechanism/shared_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/mechanism/norm.hpp"

namespace lacuna {
namespace {

MechanismShape shape_of(const SharedStateConfig& config, const SharedStateWeights& weights) {
  return {.d_model = config.d_model,
          .h_q = config.heads,
          .h_kv = 1,
          .d_qk = config.head_dim,
          .d_v = config.head_dim,
          .shared_kv = true,
          .has_rows = config.has_rows(),
          .ratio = std::max<Index>(config.ratio, 1),
          .local_window = config.local_window,
          .index_heads = config.owns_indexer ? config.index_heads : 0,
          .d_index = config.owns_indexer ? config.d_index : 0,
          .sm_scale = 1 / std::sqrt(static_cast<double>(config.head_dim)),
          .sink_logit = weights.sink_logit};
}

const SharedStateConfig& checked(const SharedStateConfig& config) {
  config.check();
  return config;
}

}  // namespace

SharedState::SharedState(const SharedStateConfig& config, SharedStateWeights weights)
    : config_(checked(config)),
      weights_(std::move(weights)),
      shape_(shape_of(config_, weights_)),
      rope_(config_.rope()) {
  weights_.check(config_);
  if (config_.has_rows()) compressor_.emplace(config_.compressor(), std::move(weights_.compressor));
  if (config_.owns_indexer) indexer_.emplace(config_, std::move(weights_.indexer));
}

LayerCache SharedState::start() const {
  LayerCache cache;
  cache.k.resize(1);
  cache.local.resize(1);
  if (compressor_) cache.main_state = compressor_->start();
  if (indexer_) cache.index_state = indexer_->start();
  return cache;
}

void SharedState::append(std::span<const double> x, LayerCache& cache) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) % config_.d_model == 0);
  for (; !x.empty(); x = x.subspan(config_.d_model)) {
    append_local(x.first(config_.d_model), cache);
    if (compressor_) append_entry(x.first(config_.d_model), cache);
    ++cache.tokens;
  }
}

/// Equation (3).
void SharedState::append_local(std::span<const double> x, LayerCache& cache) const {
  std::vector<double> row = weights_.kv * x;
  rms_norm(row, weights_.kv_gamma, config_.eps);
  rotate_last(row, cache.tokens);
  cache.local[0].insert(cache.local[0].end(), row.begin(), row.end());
}

/// Equation (4), when the token completes a group.
void SharedState::append_entry(std::span<const double> x, LayerCache& cache) const {
  std::optional<std::vector<double>> latent = compressor_->push(x, cache.main_state);
  if (indexer_) indexer_->append(x, latent, cache);
  if (!latent) return;
  const Index entry = cache.rows();
  rotate_last(*latent, compressor_->rope_position(entry));
  cache.k[0].insert(cache.k[0].end(), latent->begin(), latent->end());
  cache.key_position.push_back(compressor_->key_position(entry));
}

/// Equations (1) and (2).
QueryRows SharedState::query(std::span<const double> x, Index position) const {
  std::vector<double> qr = weights_.query_down * x;
  rms_norm(qr, weights_.query_gamma, config_.eps);
  QueryRows rows;
  rows.q = weights_.query_up * qr;
  for (Index h = 0; h < config_.heads; ++h) {
    const std::span<double> head = std::span(rows.q).subspan(h * config_.head_dim, config_.head_dim);
    if (config_.normalise_q) rms_norm(head, {}, config_.eps);
    rotate_last(head, position);
  }
  if (indexer_) indexer_->query(x, qr, position, rows);
  return rows;
}

/// Equations (5) and (6).
std::vector<double> SharedState::output(std::span<const double> o, Index position) const {
  LACUNA_ASSERT(static_cast<Index>(o.size()) == config_.heads * config_.head_dim);
  std::vector<double> unrotated(o.begin(), o.end());
  for (Index h = 0; h < config_.heads; ++h)
    rotate_last(std::span(unrotated).subspan(h * config_.head_dim, config_.head_dim), -position);
  const Index group = config_.heads / config_.o_groups * config_.head_dim;
  std::vector<double> low_rank(config_.o_groups * config_.o_lora_rank);
  for (Index g = 0; g < config_.o_groups; ++g)
    weights_.output_down[g].multiply(std::span(unrotated).subspan(g * group, group),
                                     std::span(low_rank).subspan(g * config_.o_lora_rank, config_.o_lora_rank));
  return weights_.output_up * low_rank;
}

void SharedState::rotate_last(std::span<double> row, Index position) const {
  rope_.rotate(row.last(config_.qk_rope), position);
}

}  // namespace lacuna
