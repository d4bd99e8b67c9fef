#include "core/model/decoder.hpp"

#include <algorithm>
#include <utility>

#include "core/mechanism/mla.hpp"
#include "core/mechanism/shared_state.hpp"

namespace lacuna {
namespace {

/// The mechanism of a configuration and its weights.
struct MakeMechanism {
  using Result = std::unique_ptr<const Mechanism>;
  Result operator()(const ProjectedConfig& config, ProjectedWeights& weights) const {
    return std::make_unique<ProjectedAttention>(config, std::move(weights));
  }
  Result operator()(const MlaConfig& config, MlaWeights& weights) const {
    return std::make_unique<MlaAbsorbed>(std::make_shared<const Mla>(config, std::move(weights)));
  }
  Result operator()(const SparseMlaConfig& config, SparseMlaWeights& weights) const {
    return std::make_unique<SparseMla>(config, std::move(weights));
  }
  Result operator()(const SharedStateConfig& config, SharedStateWeights& weights) const {
    return std::make_unique<SharedState>(config, std::move(weights));
  }
  template <class Config, class Weights>
  Result operator()(const Config&, Weights&) const {
    throw InternalError("attention weights of another mechanism");
  }
};

const ModelDescription& checked(const ModelDescription& model, const ModelWeights& weights) {
  model.check();
  weights.check(model);
  return model;
}

}  // namespace

Decoder::Mixer Decoder::mixer_of(const LayerDescription& layer, AttentionWeights weights) {
  if (const auto* retention = std::get_if<RetentionConfig>(&layer.attention))
    return Retention(*retention, std::get<RetentionWeights>(std::move(weights)));
  return std::visit(MakeMechanism{}, layer.attention, weights);
}

Decoder::Decoder(ModelDescription model, ModelWeights weights)
    : model_(checked(model, weights)),
      weights_(std::move(weights)),
      residual_(model_.norm, model_.norm_place, model_.eps) {
  for (std::size_t place = 0; place < model_.layers.size(); ++place)
    mixers_.push_back(mixer_of(model_.layers[place], std::exchange(weights_.layers[place].attention, {})));
}

const Mechanism* Decoder::mechanism(Index place) const {
  const auto* mechanism = std::get_if<std::unique_ptr<const Mechanism>>(&mixers_[place]);
  return mechanism == nullptr ? nullptr : mechanism->get();
}

ModelCache Decoder::start() const {
  ModelCache cache;
  for (std::size_t place = 0; place < mixers_.size(); ++place) {
    if (const Mechanism* attention = mechanism(static_cast<Index>(place)))
      cache.layers.emplace_back(attention->start());
    else
      cache.layers.emplace_back(std::get<Retention>(mixers_[place]).start());
  }
  return cache;
}

std::vector<double> Decoder::embed(Index token, Index position) const {
  const auto row = weights_.embedding.row(token);
  std::vector<double> h(row.begin(), row.end());
  for (double& c : h) c *= model_.embedding_scale;
  if (model_.learned_positions == 0) return h;
  const auto p = weights_.positions.row(position);
  for (std::size_t c = 0; c < h.size(); ++c) h[c] += p[c];
  return h;
}

LayerInputs Decoder::attention_inputs(Index place, const ModelCache& cache, std::span<const QueryRows> queries,
                                      std::span<const Index> query_position) const {
  const Mechanism* attention = mechanism(place);
  LACUNA_ASSERT(attention != nullptr);
  const LayerDescription& layer = model_.layers[place];
  const LayerCache& own = std::get<LayerCache>(cache.layers[place]);
  const LayerCache* rows = nullptr;
  if (layer.rows_of)
    rows = &std::get<LayerCache>(cache.layers[model_.place_of(*layer.rows_of)]);
  else if (attention->shape().has_rows)
    rows = &own;
  return {.mechanism = attention, .rows = rows, .local = &own, .queries = queries, .query_position = query_position};
}

std::vector<double> Decoder::retain(Index place, std::span<const double> x, ModelCache& cache) const {
  return std::get<Retention>(mixers_[place]).append(x, std::get<RetentionState>(cache.layers[place]));
}

std::vector<double> Decoder::mix(Index place, std::span<const double> x, ModelCache& cache, AttendLayer& attend) const {
  const Mechanism* attention = mechanism(place);
  if (attention == nullptr) return retain(place, x, cache);
  attention->append(x, std::get<LayerCache>(cache.layers[place]));
  const QueryRows query = attention->query(x, cache.tokens);
  const std::vector<double> o = attend.attend(
      model_.layers[place].label, attention_inputs(place, cache, std::span(&query, 1), std::span(&cache.tokens, 1)));
  return attention->output(o, cache.tokens);
}

std::vector<double> Decoder::attention_input(Index place, std::span<const double> h) const {
  return residual_.block_input(weights_.layers[place].attention_norm, h);
}

void Decoder::finish_layer(Index place, std::span<const double> y, std::span<double> h) const {
  const LayerWeights& weights = weights_.layers[place];
  residual_.add(weights.attention_norm, y, h);
  residual_.add(weights.feed_forward_norm,
                feed_forward(model_.layers[place].feed_forward, weights.feed_forward,
                             residual_.block_input(weights.feed_forward_norm, h)),
                h);
}

void Decoder::check_tokens(std::span<const Index> tokens, Index first) const {
  for (const Index token : tokens)
    if (token < 0 || token >= model_.vocabulary)
      throw InputError(fmt::format("token {} is outside the vocabulary of {}", token, model_.vocabulary));
  const Index end = first + static_cast<Index>(tokens.size());
  if (model_.learned_positions > 0 && end > model_.learned_positions)
    throw InputError(fmt::format("{} tokens; learned_positions of the model is {}", end, model_.learned_positions));
}

void Decoder::run_layers(Index first, Index end, ModelCache& cache, AttendLayer& attend, std::vector<double>& h) const {
  for (Index place = first; place < end; ++place)
    finish_layer(place, mix(place, attention_input(place, h), cache, attend), h);
}

void Decoder::leave_memory(std::span<const double> h, ModelCache& cache) const {
  const Index encoder = model_.encoder_layers;
  mechanism(encoder)->append(attention_input(encoder, h), std::get<LayerCache>(cache.layers[encoder]));
  for (std::size_t place = encoder + 1; place < mixers_.size(); ++place)
    ++std::get<LayerCache>(cache.layers[place]).tokens;
}

std::vector<double> Decoder::append(std::span<const Index> tokens, ModelCache& cache, AttendLayer& attend) const {
  LACUNA_ASSERT(cache.layers.size() == mixers_.size());
  check_tokens(tokens, cache.tokens);
  std::vector<double> hidden;
  hidden.reserve(tokens.size() * model_.d_model);
  for (const Index token : tokens) {
    std::vector<double> h = embed(token, cache.tokens);
    run_layers(0, static_cast<Index>(mixers_.size()), cache, attend, h);
    hidden.insert(hidden.end(), h.begin(), h.end());
    ++cache.tokens;
  }
  return hidden;
}

std::vector<double> Decoder::append(std::span<const Index> tokens, ModelCache& cache) const {
  ExactAttend exact;
  return append(tokens, cache, exact);
}

std::vector<double> Decoder::append_last(std::span<const Index> tokens, Index count, ModelCache& cache,
                                         AttendLayer& attend) const {
  LACUNA_ASSERT(cache.layers.size() == mixers_.size());
  if (!model_.memory_ends_with_encoder())
    throw UsageError(fmt::format(
        "model '{}' makes memory behind its encoder_layers, which are {}: every token has to pass through all layers",
        model_.name, model_.encoder_layers));
  if (count < 0 || count > std::ssize(tokens))
    throw UsageError(
        fmt::format("count is {}; it must be between 0 and the tokens, which are {}", count, tokens.size()));
  check_tokens(tokens, cache.tokens);
  std::vector<double> hidden;
  const Index end = cache.tokens + std::ssize(tokens);
  for (const Index token : tokens) {
    std::vector<double> h = embed(token, cache.tokens);
    run_layers(0, model_.encoder_layers, cache, attend, h);
    if (cache.tokens < end - count) {
      leave_memory(h, cache);
    } else {
      run_layers(model_.encoder_layers, static_cast<Index>(mixers_.size()), cache, attend, h);
      hidden.insert(hidden.end(), h.begin(), h.end());
    }
    ++cache.tokens;
  }
  return hidden;
}

std::vector<double> Decoder::append_last(std::span<const Index> tokens, Index count, ModelCache& cache) const {
  ExactAttend exact;
  return append_last(tokens, count, cache, exact);
}

std::vector<double> Decoder::logits(std::span<const double> hidden) const {
  std::vector<double> x(hidden.begin(), hidden.end());
  if (model_.norm_place == NormPlace::before) x = residual_.normalised(weights_.final_norm, std::move(x));
  std::vector<double> logits = (model_.tied_vocabulary ? weights_.embedding : weights_.vocabulary) * x;
  const std::vector<double>& bias = weights_.vocabulary_bias;
  for (std::size_t i = 0; !bias.empty() && i < logits.size(); ++i) logits[i] += bias[i % bias.size()];
  return logits;
}

}  // namespace lacuna
