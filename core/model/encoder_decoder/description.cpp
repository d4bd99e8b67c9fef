#include "core/model/encoder_decoder/description.hpp"

#include <cmath>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

void check_attention(const std::string& where, const ProjectedConfig& attention, Index d_model) {
  try {
    attention.check();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", where, error.what()));
  }
  if (attention.d_model != d_model)
    throw UsageError(fmt::format("{}: d_model is {}; that of the model is {}", where, attention.d_model, d_model));
  if (attention.rope) throw UsageError(where + ": rope is set; positions are added to the embeddings");
  if (attention.local_window > 0) throw UsageError(where + ": local_window is set; every layer reads all it may see");
  if (!attention.owns_cache) throw UsageError(where + ": owns_cache is false; every layer makes its own rows");
}

void check_feed_forward(const std::string& where, const FeedForwardConfig& feed_forward) {
  if (feed_forward.width < 1)
    throw UsageError(fmt::format("{}: feed_forward.width is {}; it must be at least 1", where, feed_forward.width));
}

}  // namespace

void EncoderDecoderDescription::check() const {
  require_positive({{"vocabulary", vocabulary}, {"d_model", d_model}});
  if (d_model % 2 != 0) throw UsageError(fmt::format("d_model is {}; sinusoidal positions need an even one", d_model));
  if (!(eps >= 0)) throw UsageError(fmt::format("eps is {}; it must not be negative", eps));
  if (!(embedding_scale > 0))
    throw UsageError(fmt::format("embedding_scale is {}; it must be positive", embedding_scale));
  if (start_token < 0 || start_token >= vocabulary)
    throw UsageError(fmt::format("start_token is {}; the vocabulary has {} tokens", start_token, vocabulary));
  if (encoder.empty()) throw UsageError("encoder is empty; it has at least one layer");
  if (decoder.empty()) throw UsageError("decoder is empty; it has at least one layer");
  for (std::size_t place = 0; place < encoder.size(); ++place) {
    const std::string where = fmt::format("encoder layer {}", place);
    check_attention(where, encoder[place].attention, d_model);
    check_feed_forward(where, encoder[place].feed_forward);
  }
  for (std::size_t place = 0; place < decoder.size(); ++place) {
    const std::string where = fmt::format("decoder layer {}", place);
    check_attention(where + ", self_attention", decoder[place].self_attention, d_model);
    check_attention(where + ", cross_attention", decoder[place].cross_attention, d_model);
    check_feed_forward(where, decoder[place].feed_forward);
  }
}

EncoderDecoderDescription transformer_2017(const TransformerExtents& extents) {
  require_positive({{"layers", extents.layers}, {"heads", extents.heads}});
  if (extents.d_model % extents.heads != 0)
    throw UsageError(fmt::format("heads is {}; it must divide d_model, which is {}", extents.heads, extents.d_model));
  const Index d_head = extents.d_model / extents.heads;
  const ProjectedConfig attention{.d_model = extents.d_model,
                                  .h_q = extents.heads,
                                  .h_kv = extents.heads,
                                  .d_qk = d_head,
                                  .d_v = d_head,
                                  .bias = extents.attention_bias};
  const FeedForwardConfig feed_forward{.kind = FeedForwardKind::relu, .width = extents.feed_forward, .bias = true};
  EncoderDecoderDescription model{.name = "transformer_2017",
                                  .vocabulary = extents.vocabulary,
                                  .d_model = extents.d_model,
                                  .embedding_scale = std::sqrt(static_cast<double>(extents.d_model))};
  for (Index layer = 0; layer < extents.layers; ++layer) {
    model.encoder.push_back({.attention = attention, .feed_forward = feed_forward});
    model.decoder.push_back({.self_attention = attention, .cross_attention = attention, .feed_forward = feed_forward});
  }
  model.check();
  return model;
}

}  // namespace lacuna
