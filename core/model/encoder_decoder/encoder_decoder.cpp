#include "core/model/encoder_decoder/encoder_decoder.hpp"

#include <utility>

#include "core/model/attend_layer.hpp"
#include "core/model/encoder_decoder/sinusoidal_positions.hpp"

namespace lacuna {
namespace {

const EncoderDecoderDescription& checked(const EncoderDecoderDescription& model, const EncoderDecoderWeights& weights) {
  model.check();
  weights.check(model);
  return model;
}

/// y [d_model] of x [d_model] at `position`, which attends to the first `visible` rows of the cache.
std::vector<double> attended(const ProjectedAttention& attention, std::span<const double> x, Index position,
                             const LayerCache& cache, Index visible) {
  const QueryRows query = attention.query(x, position);
  const Index last = visible - 1;  // rows of single tokens: a query that stands there sees them all
  const std::vector<double> o = ExactAttend().attend(0, {.mechanism = &attention,
                                                         .rows = &cache,
                                                         .local = &cache,
                                                         .queries = std::span(&query, 1),
                                                         .query_position = std::span(&last, 1)});
  return attention.output(o, position);
}

}  // namespace

EncoderDecoder::EncoderDecoder(EncoderDecoderDescription model, EncoderDecoderWeights weights)
    : model_(checked(model, weights)),
      weights_(std::move(weights)),
      residual_(NormKind::layer_norm, NormPlace::after, model_.eps) {
  for (std::size_t place = 0; place < model_.encoder.size(); ++place)
    encoder_.emplace_back(model_.encoder[place].attention, std::exchange(weights_.encoder[place].attention, {}));
  for (std::size_t place = 0; place < model_.decoder.size(); ++place) {
    CrossDecoderLayerWeights& layer = weights_.decoder[place];
    self_attention_.emplace_back(model_.decoder[place].self_attention, std::exchange(layer.self_attention, {}));
    cross_attention_.emplace_back(model_.decoder[place].cross_attention, std::exchange(layer.cross_attention, {}));
  }
}

void EncoderDecoder::check_tokens(std::span<const Index> tokens) const {
  for (const Index token : tokens)
    if (token < 0 || token >= model_.vocabulary)
      throw InputError(fmt::format("token {} is outside the vocabulary of {}", token, model_.vocabulary));
}

/// Equation (1).
std::vector<double> EncoderDecoder::embed(Index token, Index position) const {
  std::vector<double> h = sinusoidal_position(position, model_.d_model);
  const auto row = weights_.embedding.row(token);
  for (std::size_t c = 0; c < h.size(); ++c) h[c] += model_.embedding_scale * row[c];
  return h;
}

/// Equations (2) and (3).
void EncoderDecoder::encode_layer(Index place, std::vector<std::vector<double>>& h) const {
  const EncoderLayerWeights& weights = weights_.encoder[place];
  LayerCache cache = encoder_[place].start();
  for (const std::vector<double>& token : h) encoder_[place].append(token, cache);
  for (Index t = 0; t < std::ssize(h); ++t) {
    residual_.add(weights.attention_norm, attended(encoder_[place], h[t], t, cache, cache.tokens), h[t]);
    residual_.add(weights.feed_forward_norm,
                  feed_forward(model_.encoder[place].feed_forward, weights.feed_forward, h[t]), h[t]);
  }
}

std::vector<double> EncoderDecoder::encode(std::span<const Index> source) const {
  if (source.empty()) throw InputError("the source has no token");
  check_tokens(source);
  std::vector<std::vector<double>> h;  // [source tokens][d_model]
  for (const Index token : source) h.push_back(embed(token, std::ssize(h)));
  for (Index place = 0; place < std::ssize(encoder_); ++place) encode_layer(place, h);
  std::vector<double> memory;
  for (const std::vector<double>& token : h) memory.insert(memory.end(), token.begin(), token.end());
  return memory;
}

EncoderDecoderCache EncoderDecoder::start(std::span<const double> memory) const {
  LACUNA_ASSERT(!memory.empty());
  EncoderDecoderCache cache;
  for (std::size_t place = 0; place < self_attention_.size(); ++place) {
    cache.self_attention.push_back(self_attention_[place].start());
    cache.cross_attention.push_back(cross_attention_[place].start());
    cross_attention_[place].append(memory, cache.cross_attention.back());
  }
  return cache;
}

/// Equations (4), (5) and (6).
void EncoderDecoder::decode_layer(Index place, EncoderDecoderCache& cache, std::vector<double>& h) const {
  const CrossDecoderLayerWeights& weights = weights_.decoder[place];
  LayerCache& own = cache.self_attention[place];
  const LayerCache& memory = cache.cross_attention[place];
  const Index position = cache.tokens;
  self_attention_[place].append(h, own);
  residual_.add(weights.self_norm, attended(self_attention_[place], h, position, own, own.tokens), h);
  residual_.add(weights.cross_norm, attended(cross_attention_[place], h, position, memory, memory.tokens), h);
  residual_.add(weights.feed_forward_norm, feed_forward(model_.decoder[place].feed_forward, weights.feed_forward, h),
                h);
}

std::vector<double> EncoderDecoder::append(std::span<const Index> tokens, EncoderDecoderCache& cache) const {
  LACUNA_ASSERT(cache.self_attention.size() == self_attention_.size());
  check_tokens(tokens);
  std::vector<double> hidden;
  for (const Index token : tokens) {
    std::vector<double> h = embed(token, cache.tokens);
    for (Index place = 0; place < std::ssize(self_attention_); ++place) decode_layer(place, cache, h);
    hidden.insert(hidden.end(), h.begin(), h.end());
    ++cache.tokens;
  }
  return hidden;
}

/// Equation (7).
std::vector<double> EncoderDecoder::logits(std::span<const double> hidden) const { return weights_.embedding * hidden; }

std::vector<Index> EncoderDecoder::generate(std::span<const Index> source, const Generation& options) const {
  EncoderDecoderCache cache = start(encode(source));
  return lacuna::generate(model_.start_token, 0, options,
                          [&](Index token) { return logits(append(std::span(&token, 1), cache)); });
}

}  // namespace lacuna
