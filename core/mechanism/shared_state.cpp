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
  append_local(x, cache);
  if (compressor_) append_entries(x, cache);
  cache.tokens += static_cast<Index>(x.size()) / config_.d_model;
}

/// Equation (3).
void SharedState::append_local(std::span<const double> x, LayerCache& cache) const {
  std::vector<double> rows = weights_.kv * x;
  Index position = cache.tokens;
  for (std::span<double> rest = rows; !rest.empty(); rest = rest.subspan(config_.head_dim)) {
    const std::span<double> row = rest.first(config_.head_dim);
    rms_norm(row, weights_.kv_gamma, config_.eps);
    rotate_last(row, position++);
  }
  cache.local[0].insert(cache.local[0].end(), rows.begin(), rows.end());
}

/// Equation (4), of the tokens that complete a group.
void SharedState::append_entries(std::span<const double> x, LayerCache& cache) const {
  const CompressorInput main = compressor_->project(x);
  const CompressorInput index = indexer_ ? indexer_->project(x) : CompressorInput{};
  for (Index t = 0; t < static_cast<Index>(x.size()) / config_.d_model; ++t) {
    std::optional<std::vector<double>> latent = compressor_->push(main, t, cache.main_state);
    if (indexer_) indexer_->append(index, t, latent, cache);
    if (!latent) continue;
    const Index entry = cache.rows();
    rotate_last(*latent, compressor_->rope_position(entry));
    cache.k[0].insert(cache.k[0].end(), latent->begin(), latent->end());
    cache.key_position.push_back(compressor_->key_position(entry));
  }
}

/// Equations (1) and (2).
std::vector<QueryRows> SharedState::queries(std::span<const double> x, Index first) const {
  const Index width = config_.heads * config_.head_dim;
  std::vector<double> qr = weights_.query_down * x;
  for (std::span<double> rest = qr; !rest.empty(); rest = rest.subspan(config_.q_lora_rank))
    rms_norm(rest.first(config_.q_lora_rank), weights_.query_gamma, config_.eps);
  const std::vector<double> q = weights_.query_up * qr;
  std::vector<QueryRows> rows(q.size() / width);
  for (Index t = 0; t < static_cast<Index>(rows.size()); ++t) {
    rows[t].q.assign(q.begin() + t * width, q.begin() + (t + 1) * width);
    for (Index h = 0; h < config_.heads; ++h) {
      const std::span<double> head = std::span(rows[t].q).subspan(h * config_.head_dim, config_.head_dim);
      if (config_.normalise_q) rms_norm(head, {}, config_.eps);
      rotate_last(head, first + t);
    }
  }
  if (indexer_) indexer_->query(x, qr, first, rows);
  return rows;
}

/// Equations (5) and (6).
std::vector<double> SharedState::output(std::span<const double> o, Index first) const {
  const Index width = config_.heads * config_.head_dim;
  LACUNA_ASSERT(static_cast<Index>(o.size()) % width == 0);
  const Index tokens = static_cast<Index>(o.size()) / width;
  std::vector<double> unrotated(o.begin(), o.end());
  for (Index t = 0; t < tokens; ++t)
    for (Index h = 0; h < config_.heads; ++h)
      rotate_last(std::span(unrotated).subspan(t * width + h * config_.head_dim, config_.head_dim), -(first + t));
  const Index group = width / config_.o_groups;
  const Index low_width = config_.o_groups * config_.o_lora_rank;
  std::vector<double> low_rank(tokens * low_width);
  for (Index g = 0; g < config_.o_groups; ++g)
    weights_.output_down[g].multiply({unrotated.data() + g * group, tokens, width},
                                     {low_rank.data() + g * config_.o_lora_rank, tokens, low_width});
  return weights_.output_up * low_rank;
}

void SharedState::rotate_last(std::span<double> row, Index position) const {
  rope_.rotate(row.last(config_.qk_rope), position);
}

}  // namespace lacuna
