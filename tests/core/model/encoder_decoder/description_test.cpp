#include "core/model/encoder_decoder/description.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace lacuna {
namespace {

TEST(Transformer2017, DefaultsAreTheBaseModel) {
  const EncoderDecoderDescription model = transformer_2017();
  EXPECT_EQ(model.encoder.size(), 6);
  EXPECT_EQ(model.decoder.size(), 6);
  EXPECT_EQ(model.d_model, 512);
  EXPECT_DOUBLE_EQ(model.embedding_scale * model.embedding_scale, 512);
  for (const CrossDecoderLayer& layer : model.decoder) {
    EXPECT_EQ(layer.cross_attention.h_q, 8);
    EXPECT_EQ(layer.cross_attention.d_qk, 64);
    EXPECT_EQ(layer.feed_forward.width, 2048);
    EXPECT_EQ(layer.feed_forward.kind, FeedForwardKind::relu);
  }
}

TEST(EncoderDecoderDescriptionFaults, NameTheFieldAndTheLayer) {
  using Change = std::function<void(EncoderDecoderDescription&)>;
  const std::vector<std::pair<Change, std::string>> faults = {
      {[](auto& m) { m.vocabulary = 0; }, "vocabulary is 0"},
      {[](auto& m) { m.d_model = 7; }, "d_model is 7; sinusoidal positions need an even one"},
      {[](auto& m) { m.eps = -1; }, "eps is -1; it must not be negative"},
      {[](auto& m) { m.embedding_scale = 0; }, "embedding_scale is 0; it must be positive"},
      {[](auto& m) { m.start_token = 20; }, "start_token is 20; the vocabulary has 20 tokens"},
      {[](auto& m) { m.start_token = -1; }, "start_token is -1"},
      {[](auto& m) { m.encoder.clear(); }, "encoder is empty"},
      {[](auto& m) { m.decoder.clear(); }, "decoder is empty"},
      {[](auto& m) { m.encoder[1].attention.d_model = 16; }, "encoder layer 1: d_model is 16; that of the model is 8"},
      {[](auto& m) { m.encoder[0].attention.h_kv = 3; }, "encoder layer 0: h_kv is 3"},
      {[](auto& m) { m.encoder[0].feed_forward.width = 0; }, "encoder layer 0: feed_forward.width is 0"},
      {[](auto& m) { m.decoder[1].feed_forward.width = -2; }, "decoder layer 1: feed_forward.width is -2"},
      {[](auto& m) { m.decoder[0].self_attention.local_window = 4; },
       "decoder layer 0, self_attention: local_window is set"},
      {[](auto& m) { m.decoder[1].cross_attention.owns_cache = false; },
       "decoder layer 1, cross_attention: owns_cache is false"},
      {[](auto& m) { m.decoder[0].cross_attention.rope = RopeParameters{.channels = 4}; },
       "decoder layer 0, cross_attention: rope is set"}};
  for (const auto& [change, message] : faults) {
    EncoderDecoderDescription model =
        transformer_2017({.layers = 2, .vocabulary = 20, .d_model = 8, .heads = 2, .feed_forward = 12});
    change(model);
    try {
      model.check();
      ADD_FAILURE() << "passes: " << message;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(transformer_2017({.d_model = 512, .heads = 7}), UsageError);
  EXPECT_THROW(transformer_2017({.layers = 0}), UsageError);
}

}  // namespace
}  // namespace lacuna
