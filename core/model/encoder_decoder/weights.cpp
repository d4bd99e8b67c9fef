#include "core/model/encoder_decoder/weights.hpp"

#include <cmath>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

/// Weights of the blocks of one model; every block has its own number.
struct RandomBlocks {
  Index d_model;
  double score_std;
  std::uint64_t seed;
  Index block = 0;

  std::uint64_t next_seed() { return layer_seed(seed, block++); }
  NormWeights norm() { return NormWeights::random(NormKind::layer_norm, d_model, seed, "encoder_decoder.norm", block); }
  ProjectedWeights attention(const ProjectedConfig& config) {
    return ProjectedWeights::random(config, score_std, next_seed());
  }
  FeedForwardWeights feed_forward(const FeedForwardConfig& config) {
    return FeedForwardWeights::random(config, d_model, next_seed());
  }
};

}  // namespace

EncoderDecoderWeights EncoderDecoderWeights::random(const EncoderDecoderDescription& model, double score_std,
                                                    std::uint64_t seed) {
  model.check();
  RandomBlocks blocks{.d_model = model.d_model, .score_std = score_std, .seed = seed};
  EncoderDecoderWeights weights;
  weights.embedding = Matrix::random(model.vocabulary, model.d_model, 1 / std::sqrt(static_cast<double>(model.d_model)),
                                     {seed, "encoder_decoder.embedding"});
  for (const EncoderLayer& layer : model.encoder)  // in braces, whose parts are made from left to right
    weights.encoder.push_back(EncoderLayerWeights{.attention_norm = blocks.norm(),
                                                  .attention = blocks.attention(layer.attention),
                                                  .feed_forward_norm = blocks.norm(),
                                                  .feed_forward = blocks.feed_forward(layer.feed_forward)});
  for (const CrossDecoderLayer& layer : model.decoder)
    weights.decoder.push_back(CrossDecoderLayerWeights{.self_norm = blocks.norm(),
                                                       .self_attention = blocks.attention(layer.self_attention),
                                                       .cross_norm = blocks.norm(),
                                                       .cross_attention = blocks.attention(layer.cross_attention),
                                                       .feed_forward_norm = blocks.norm(),
                                                       .feed_forward = blocks.feed_forward(layer.feed_forward)});
  return weights;
}

void EncoderDecoderWeights::check(const EncoderDecoderDescription& model) const {
  const auto check_norm = [&](std::string_view name, const NormWeights& norm) {
    norm.check(name, NormKind::layer_norm, model.d_model);
  };
  require_shape("embedding", embedding, model.vocabulary, model.d_model);
  if (encoder.size() != model.encoder.size() || decoder.size() != model.decoder.size())
    throw InputError(fmt::format("weights of {} and {} layers; the description has {} and {}", encoder.size(),
                                 decoder.size(), model.encoder.size(), model.decoder.size()));
  for (std::size_t place = 0; place < encoder.size(); ++place) {
    check_norm("attention_norm", encoder[place].attention_norm);
    check_norm("feed_forward_norm", encoder[place].feed_forward_norm);
    encoder[place].feed_forward.check(model.encoder[place].feed_forward, model.d_model);
  }
  for (std::size_t place = 0; place < decoder.size(); ++place) {
    check_norm("self_norm", decoder[place].self_norm);
    check_norm("cross_norm", decoder[place].cross_norm);
    check_norm("feed_forward_norm", decoder[place].feed_forward_norm);
    decoder[place].feed_forward.check(model.decoder[place].feed_forward, model.d_model);
  }
}

}  // namespace lacuna
