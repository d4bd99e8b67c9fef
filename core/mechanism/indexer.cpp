#include "core/mechanism/indexer.hpp"

#include <cmath>
#include <utility>

#include "core/mechanism/index_alignment.hpp"
#include "core/mechanism/norm.hpp"
#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

double fan_in_std(Index fan_in) { return 1 / std::sqrt(static_cast<double>(fan_in)); }

bool compresses_hidden_states(const SharedStateConfig& config) {
  return config.makes_index_keys() && config.index_keys == IndexKeySource::hidden_states;
}

bool projects_latents(const SharedStateConfig& config) {
  return config.makes_index_keys() && config.index_keys == IndexKeySource::latent;
}

CompressorWeights mix_compressors(const SharedStateConfig& config, const CompressorWeights& aligned,
                                  const CompressorWeights& random) {
  const auto resemble = [&](const Matrix& a, const Matrix& r) { return mix(config.index_quality, a, r); };
  return {.kv = resemble(aligned.kv, random.kv),
          .gate = resemble(aligned.gate, random.gate),
          .ape = resemble(aligned.ape, random.ape),
          .gamma = aligned.gamma};
}

}  // namespace

IndexerWeights IndexerWeights::random(const SharedStateConfig& config, const Matrix& query_up,
                                      const CompressorWeights& main_compressor, std::uint64_t seed) {
  IndexerWeights weights;
  weights.query = Matrix::random(config.index_heads * config.d_index, config.q_lora_rank,
                                 fan_in_std(config.q_lora_rank), CounterRng(seed, "indexer.query"));
  weights.weight = Matrix::random(config.index_heads, config.d_model, fan_in_std(config.d_model),
                                  CounterRng(seed, "indexer.weight"));
  if (compresses_hidden_states(config))
    weights.compressor =
        CompressorWeights::random(config.index_compressor(), config.gate_std, seed, "indexer.compressor");
  if (projects_latents(config)) {
    weights.key =
        Matrix::random(config.d_index, config.head_dim, fan_in_std(config.head_dim), CounterRng(seed, "indexer.key"));
    weights.key_gamma.assign(config.d_index, 1.0);
  }
  if (config.index_quality == 0) return weights;

  const auto resemble = [&](const Matrix& aligned, Matrix& mixed) {
    mixed = mix(config.index_quality, aligned, mixed);
  };
  resemble(aligned_index_query(config, query_up), weights.query);
  resemble(aligned_index_weight(config), weights.weight);
  if (compresses_hidden_states(config))
    weights.compressor = mix_compressors(config, aligned_index_compressor(config, main_compressor), weights.compressor);
  if (projects_latents(config)) resemble(aligned_index_key(config), weights.key);
  return weights;
}

Indexer::Indexer(const SharedStateConfig& config, IndexerWeights weights)
    : config_(config), weights_(std::move(weights)), rope_(config.rope()) {
  require_shape("indexer.query", weights_.query, config.index_heads * config.d_index, config.q_lora_rank);
  require_shape("indexer.weight", weights_.weight, config.index_heads, config.d_model);
  if (compresses_hidden_states(config)) compressor_.emplace(config.index_compressor(), std::move(weights_.compressor));
  if (projects_latents(config)) {
    require_shape("indexer.key", weights_.key, config.d_index, config.head_dim);
    require_size("indexer.key_gamma", weights_.key_gamma, config.d_index);
  }
}

CompressorState Indexer::start() const { return compressor_ ? compressor_->start() : CompressorState{}; }

CompressorInput Indexer::project(std::span<const double> x) const {
  return compressor_ ? compressor_->project(x) : CompressorInput{};
}

void Indexer::append(const CompressorInput& input, Index token, const std::optional<std::vector<double>>& latent,
                     LayerCache& cache) const {
  std::optional<std::vector<double>> key;
  if (compressor_)
    key = compressor_->push(input, token, cache.index_state);
  else if (latent)
    key = key_of(*latent);
  if (!key) return;
  const Index entry = static_cast<Index>(cache.index_k.size()) / config_.d_index;
  rope_.rotate(std::span(*key).last(config_.qk_rope), entry * config_.ratio);
  cache.index_k.insert(cache.index_k.end(), key->begin(), key->end());
}

/// Equation (5), before RoPE.
std::vector<double> Indexer::key_of(std::span<const double> latent) const {
  std::vector<double> key = weights_.key * latent;
  rms_norm(key, weights_.key_gamma, config_.eps);
  return key;
}

/// Equations (2) and (3).
void Indexer::query(std::span<const double> x, std::span<const double> qr, Index first,
                    std::span<QueryRows> rows) const {
  const Index width = config_.index_heads * config_.d_index;
  const std::vector<double> q = weights_.query * qr;
  const std::vector<double> weight = weights_.weight * x;
  const double scale = fan_in_std(config_.d_index) * fan_in_std(config_.index_heads);
  for (Index t = 0; t < static_cast<Index>(rows.size()); ++t) {
    QueryRows& of_token = rows[t];
    of_token.index_q.assign(q.begin() + t * width, q.begin() + (t + 1) * width);
    for (Index i = 0; i < config_.index_heads; ++i)
      rope_.rotate(std::span(of_token.index_q).subspan(i * config_.d_index, config_.d_index).last(config_.qk_rope),
                   first + t);
    of_token.index_weight.assign(weight.begin() + t * config_.index_heads,
                                 weight.begin() + (t + 1) * config_.index_heads);
    for (double& w : of_token.index_weight) w *= scale;
  }
}

}  // namespace lacuna
