#include "core/model/weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

constexpr Index kCommon = -1;  // stream of what all layers have in common

NormWeights random_norm(const ModelDescription& model, std::uint64_t seed, std::string_view purpose, Index stream) {
  return NormWeights::random(model.norm, model.d_model, seed, purpose, stream);
}

void clear_first(Matrix& to_stream, std::vector<double>& bias) {
  std::ranges::fill(to_stream.row(0), 0.0);
  if (!bias.empty()) bias[0] = 0;
}

/// Random weights of a mechanism, with a factor on the scores, that add nothing to channel 0.
struct RandomAttention {
  const RandomModel& options;
  std::uint64_t model_seed;
  std::uint64_t seed;

  AttentionWeights operator()(const ProjectedConfig& config) const {
    ProjectedWeights weights = ProjectedWeights::random(config, options.score_std, seed);
    clear_first(weights.wo, weights.bo);
    return weights;
  }
  AttentionWeights operator()(const MlaConfig& config) const {
    MlaWeights weights = MlaWeights::random(config, options.score_std, seed);
    std::ranges::fill(weights.wo.row(0), 0.0);
    return weights;
  }
  AttentionWeights operator()(const SparseMlaConfig& config) const {
    SparseMlaWeights weights = SparseMlaWeights::random(config, options.score_std, options.index_quality, seed);
    std::ranges::fill(weights.mla.wo.row(0), 0.0);
    return weights;
  }
  /// V4 normalises its queries, which takes the factor on the scores away again.
  AttentionWeights operator()(SharedStateConfig config) const {
    config.index_quality = options.index_quality;
    SharedStateWeights weights = SharedStateWeights::random(config, seed);
    SharedStateConfig window_only = config;
    window_only.ratio = 0;
    window_only.owns_indexer = false;
    const SharedStateWeights common = SharedStateWeights::random(window_only, layer_seed(model_seed, kCommon));
    weights.query_down = mix(options.query_similarity, common.query_down, weights.query_down);
    weights.query_up = mix(options.query_similarity, common.query_up, weights.query_up);
    for (Index i = 0; i < weights.query_up.rows(); ++i)
      for (double& w : weights.query_up.row(i)) w *= options.score_std;
    if (config.owns_indexer)
      weights.indexer = IndexerWeights::random(config, weights.query_up, weights.compressor, seed);
    std::ranges::fill(weights.output_up.row(0), 0.0);
    return weights;
  }
  AttentionWeights operator()(const RetentionConfig& config) const {
    RetentionWeights weights = RetentionWeights::random(config, seed);
    std::ranges::fill(weights.wo.row(0), 0.0);
    return weights;
  }
};

}  // namespace

std::uint64_t layer_seed(std::uint64_t seed, Index label) {
  const auto words = CounterRng(seed, "model.layer").words(static_cast<std::uint64_t>(label));
  return (static_cast<std::uint64_t>(words[0]) << 32) + words[1];
}

NormWeights NormWeights::random(NormKind kind, Index d_model, std::uint64_t seed, std::string_view purpose,
                                Index stream) {
  const CounterRng gain(seed, purpose, static_cast<std::uint64_t>(2 * stream));
  const CounterRng shift(seed, purpose, static_cast<std::uint64_t>(2 * stream + 1));
  NormWeights norm;
  for (Index c = 0; c < d_model; ++c) norm.gain.push_back(std::exp(0.1 * gain.normal(c)));
  if (kind == NormKind::layer_norm)
    for (Index c = 0; c < d_model; ++c) norm.shift.push_back(0.1 * shift.normal(c));
  return norm;
}

void NormWeights::check(std::string_view name, NormKind kind, Index d_model) const {
  require_size(name, gain, d_model);
  require_size(name, shift, kind == NormKind::layer_norm ? d_model : 0);
}

ModelWeights ModelWeights::random(const ModelDescription& model, const RandomModel& options, std::uint64_t seed) {
  model.check();
  const double std_model = 1 / std::sqrt(static_cast<double>(model.d_model));
  const double embedding_std = model.tied_vocabulary ? std_model : 1 / model.embedding_scale;
  ModelWeights weights;
  weights.embedding = Matrix::random(model.vocabulary, model.d_model, embedding_std, {seed, "model.embedding"});
  for (Index i = 0; i < model.vocabulary; ++i) weights.embedding.row(i)[0] = 1 / model.embedding_scale;
  if (model.learned_positions > 0) {
    weights.positions =
        Matrix::random(model.learned_positions, model.d_model, 0.5 * std_model, {seed, "model.positions"});
    for (Index i = 0; i < model.learned_positions; ++i) weights.positions.row(i)[0] = 0;
  }
  for (const LayerDescription& layer : model.layers) {
    const std::uint64_t own_seed = layer_seed(seed, layer.label);
    LayerWeights own{.attention_norm = random_norm(model, seed, "model.attention_norm", layer.label),
                     .attention = std::visit(RandomAttention{options, seed, own_seed}, layer.attention),
                     .feed_forward_norm = random_norm(model, seed, "model.feed_forward_norm", layer.label),
                     .feed_forward = FeedForwardWeights::random(layer.feed_forward, model.d_model, own_seed)};
    clear_first(own.feed_forward.down, own.feed_forward.down_bias);
    weights.layers.push_back(std::move(own));
  }
  if (model.norm_place == NormPlace::before) weights.final_norm = random_norm(model, seed, "model.final_norm", 0);
  if (!model.tied_vocabulary)
    weights.vocabulary = Matrix::random(model.vocabulary, model.d_model, std_model, {seed, "model.vocabulary"});
  const CounterRng bias(seed, "model.vocabulary_bias");
  if (model.vocabulary_bias)
    for (Index i = 0; i < model.vocabulary; ++i) weights.vocabulary_bias.push_back(0.02 * bias.normal(i));
  return weights;
}

void ModelWeights::check(const ModelDescription& model) const {
  require_shape("embedding", embedding, model.vocabulary, model.d_model);
  require_shape("positions", positions, model.learned_positions, model.learned_positions > 0 ? model.d_model : 0);
  if (layers.size() != model.layers.size())
    throw InputError(fmt::format("weights of {} layers; the description has {}", layers.size(), model.layers.size()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].attention.index() != model.layers[i].attention.index())
      throw InputError(fmt::format("attention weights of layer {} are of another mechanism", model.layers[i].label));
    layers[i].attention_norm.check("attention_norm", model.norm, model.d_model);
    layers[i].feed_forward_norm.check("feed_forward_norm", model.norm, model.d_model);
    layers[i].feed_forward.check(model.layers[i].feed_forward, model.d_model);
  }
  if (model.norm_place == NormPlace::before) final_norm.check("final_norm", model.norm, model.d_model);
  require_shape("vocabulary", vocabulary, model.tied_vocabulary ? 0 : model.vocabulary,
                model.tied_vocabulary ? 0 : model.d_model);
  require_size("vocabulary_bias", vocabulary_bias, model.vocabulary_bias ? model.vocabulary : 0);
}

}  // namespace lacuna
