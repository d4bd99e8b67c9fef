// The encoder-decoder against torch.nn.Transformer in double (../golden/encoder_decoder.py).
#include "core/model/encoder_decoder/encoder_decoder.hpp"
#include "model/golden_model.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kWidth = 12, kHeads = 3, kLayers = 2;

std::vector<Index> tokens_of(const GoldenFile& golden, const std::string& block) {
  return {golden[block].data.begin(), golden[block].data.end()};
}

/// torch keeps W^Q, W^K and W^V in one matrix.
ProjectedWeights attention_weights(const GoldenFile& golden, const std::string& prefix) {
  const Matrix qkv = matrix(golden, prefix + "in_proj_weight");
  const std::vector<double>& bias = golden[prefix + "in_proj_bias"].data;
  const auto part = [&](Index i) {
    return std::vector<double>(bias.begin() + i * kWidth, bias.begin() + (i + 1) * kWidth);
  };
  return {.wq = qkv.row_block(0, kWidth),
          .wk = qkv.row_block(kWidth, kWidth),
          .wv = qkv.row_block(2 * kWidth, kWidth),
          .wo = matrix(golden, prefix + "out_proj.weight"),
          .bq = part(0),
          .bk = part(1),
          .bv = part(2),
          .bo = golden[prefix + "out_proj.bias"].data};
}

FeedForwardWeights feed_forward_weights(const GoldenFile& golden, const std::string& layer) {
  return {.gate = {},
          .up = matrix(golden, layer + "linear1.weight"),
          .down = matrix(golden, layer + "linear2.weight"),
          .up_bias = golden[layer + "linear1.bias"].data,
          .down_bias = golden[layer + "linear2.bias"].data};
}

EncoderDecoderDescription golden_description() {
  EncoderDecoderDescription model = transformer_2017({.layers = kLayers,
                                                      .vocabulary = 17,
                                                      .d_model = kWidth,
                                                      .heads = kHeads,
                                                      .feed_forward = 16,
                                                      .attention_bias = true});
  model.start_token = 1;
  return model;
}

EncoderDecoderWeights golden_weights(const GoldenFile& golden) {
  EncoderDecoderWeights weights;
  weights.embedding = matrix(golden, "embedding.weight");
  const auto norm = [&](const std::string& name) {
    return NormWeights{golden[name + ".weight"].data, golden[name + ".bias"].data};
  };
  for (Index place = 0; place < kLayers; ++place) {
    const std::string encoder = fmt::format("stacks.encoder.layers.{}.", place);
    weights.encoder.push_back({.attention_norm = norm(encoder + "norm1"),
                               .attention = attention_weights(golden, encoder + "self_attn."),
                               .feed_forward_norm = norm(encoder + "norm2"),
                               .feed_forward = feed_forward_weights(golden, encoder)});
    const std::string decoder = fmt::format("stacks.decoder.layers.{}.", place);
    weights.decoder.push_back({.self_norm = norm(decoder + "norm1"),
                               .self_attention = attention_weights(golden, decoder + "self_attn."),
                               .cross_norm = norm(decoder + "norm2"),
                               .cross_attention = attention_weights(golden, decoder + "multihead_attn."),
                               .feed_forward_norm = norm(decoder + "norm3"),
                               .feed_forward = feed_forward_weights(golden, decoder)});
  }
  return weights;
}

class EncoderDecoderGolden : public testing::Test {
 protected:
  const GoldenFile golden_ = open_golden("encoder_decoder.golden");
  const EncoderDecoder model_{golden_description(), golden_weights(golden_)};
  const std::vector<Index> source_ = tokens_of(golden_, "source");
};

TEST_F(EncoderDecoderGolden, MemoryAgreesWithTorch) {
  EXPECT_LT(largest_relative(model_.encode(source_), golden_["memory"]), 1e-13);
  EXPECT_LT(largest_relative(model_.encode(std::span(source_).first(source_.size() - 1)),
                             golden_["memory_of_one_token_less"]),
            1e-13);
}

TEST_F(EncoderDecoderGolden, LogitsOfEveryTargetTokenAgreeWithTorch) {
  EncoderDecoderCache cache = model_.start(model_.encode(source_));
  const std::vector<double> hidden = model_.append(tokens_of(golden_, "target"), cache);
  std::vector<double> logits;
  for (std::size_t begin = 0; begin < hidden.size(); begin += kWidth) {
    const std::vector<double> token = model_.logits(std::span(hidden).subspan(begin, kWidth));
    logits.insert(logits.end(), token.begin(), token.end());
  }
  EXPECT_LT(largest_relative(logits, golden_["logits"]), 1e-13);
}

TEST_F(EncoderDecoderGolden, GreedyGenerationAgreesWithTorchRecomputingEveryToken) {
  const std::vector<Index> expected = tokens_of(golden_, "generated");
  EXPECT_EQ(model_.generate(source_, {.max_tokens = std::ssize(expected)}), expected);
}

}  // namespace
}  // namespace lacuna
