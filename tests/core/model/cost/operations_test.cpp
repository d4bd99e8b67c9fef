#include "core/model/cost/operations.hpp"

#include <gtest/gtest.h>

#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "core/model/presets/llama.hpp"

namespace lacuna {
namespace {

using enum OperationKind;

// Two layers, d = 8, 4 query heads and 2 KV heads of 2 channels, f = 16, V = 10, 5 tokens. Per layer and in
// multiply-adds: W^Q 64, W^K 32, W^V 32, W^O 64; scores 4 * 2 * 5, values the same; feed-forward 3 * 8 * 16.
TEST(DecodeOperations, AreThoseOfASmallDecoderByHand) {
  const ModelDescription model = llama_pattern(
      {.layers = 2, .vocabulary = 10, .d_model = 8, .h_q = 4, .h_kv = 2, .d_head = 2, .feed_forward = 16});
  const Operations operations = decode_operations(model, 5);
  EXPECT_EQ(operations[projections], Rational(2 * 2 * 192));
  EXPECT_EQ(operations[scores], Rational(2 * 2 * 40));
  EXPECT_EQ(operations[values], Rational(2 * 2 * 40));
  EXPECT_EQ(operations[indexer], Rational(0));
  EXPECT_EQ(operations[feed_forward], Rational(2 * 2 * 384));
  EXPECT_EQ(operations[vocabulary], Rational(2 * 80));
  EXPECT_EQ(operations.total(), Rational(768 + 160 + 160 + 1536 + 160));
}

// The weights of Llama 7B, once each and without the embedding: 6,607,077,376 elements.
TEST(DecodeOperations, OfMatricesAreTwicePerWeight) {
  const Operations operations = decode_operations(describe_model("llama_7b"), 1);
  const Index weights = 32LL * (4 * 4096 * 4096 + 3 * 4096 * 11008) + 4096LL * 32000;
  EXPECT_EQ(weights, 6'607'077'376);
  EXPECT_EQ(operations[projections] + operations[feed_forward] + operations[vocabulary], Rational(2 * weights));
}

TEST(DecodeOperations, AttentionOfLatentsReadsAFiveHundredAndSeventySixWideRow) {
  const Operations dense = decode_operations(describe_model("v3"), 100'000);
  EXPECT_EQ(dense[scores], Rational(2LL * 61 * 128 * 576 * 100'000));
  EXPECT_EQ(dense[values], Rational(2LL * 61 * 128 * 512 * 100'000));
  const Operations sparse = decode_operations(describe_model("v32"), 100'000);
  EXPECT_EQ(sparse[scores], Rational(2LL * 61 * 128 * 576 * 2048));
  EXPECT_EQ(sparse[projections], dense[projections]);
  // W^QI 1536 x 8192, W^KI 7168 x 128, W^W 7168 x 64; 64 heads of 128 channels and a weight each.
  EXPECT_EQ(sparse[indexer], Rational(2LL * 61 * (1536 * 8192 + 7168 * 192 + 64LL * 129 * 100'000)));
}

TEST(DecodeOperations, OfProjectionsOfLatentAttentionAreAbsorbed) {
  const Index per_layer =
      7168LL * 1536 + 1536LL * 128 * 192 + 7168LL * 576 + 128LL * 512 * (128 + 128) + 128LL * 128 * 7168;
  EXPECT_EQ(decode_operations(describe_model("v3"), 1)[projections], Rational(2 * 61 * per_layer));
}

// A Full layer of ratio 2: queries 5120 x 1280 and 1280 x 32768, window row 5120 x 512, output 32768 x 1024 and
// 8192 x 5120, two matrices 5120 x 512 of the compressor; a Reuse layer lacks the last.
TEST(DecodeOperations, LayersThatReuseRowsDoNotProjectThem) {
  const Index trunk = 5120LL * 1280 + 1280LL * 32'768 + 5120LL * 512 + 32'768LL * 1024 + 8192LL * 5120;
  const Index compressor = 5120LL * 512;
  EXPECT_EQ(decode_operations(describe_model("v41_flash"), 1)[projections],
            Rational(2 * (40 * trunk + 3 * 2 * compressor + compressor)));
}

// Of the 8 indexers those of layers 2, 8 and 14 make a key every other token, layer 20 at each.
TEST(DecodeOperations, KeysFromLatentsAreChargedOncePerRow) {
  const Index queries = 1280LL * 32 * 128 + 5120LL * 32;
  const Rational keys = Rational(3 * 512 * 128, 2) + Rational(512 * 128);
  const Rational expected = Rational(2) * (Rational(8 * queries) + keys);
  EXPECT_EQ(decode_operations(describe_model("v41_flash"), 0)[indexer], expected);
}

TEST(DecodeOperations, ThePoolSparesIndexScores) {
  const ModelDescription model = describe_model("v41_flash");
  const Rational with = decode_operations(model, 1'000'000)[indexer];
  const Rational without = decode_operations(changed(model, {.pool = CandidatePool{}}), 1'000'000)[indexer];
  EXPECT_EQ(without, with + Rational(2LL * 32 * 129 * 4 * (1'000'000 - 16'384)));
}

TEST(DecodeOperations, ARetentionStateIsUpdatedAndRead) {
  const Operations operations = decode_operations(describe_model("yoco"), 1'000);
  EXPECT_EQ(operations[scores], Rational(2LL * 13 * 24 * 128 * 1'000));  // the cross-decoder's
  EXPECT_EQ(operations[values], Rational(2LL * 13 * 24 * 128 * 1'000 + 4LL * 13 * 24 * 128 * 128));
}

TEST(RecomputationOperations, IsTheSumOfAllTokensOfThePrefix) {
  for (const char* name : {"llama_7b", "v32", "v4_flash", "v41_flash", "yoco", "yoco_window"}) {
    ModelDescription model = describe_model(name);
    if (model.pool) model.pool = CandidatePool{.blocks = 64, .block_size = 8, .from_layer = 20};
    double sum = 0;
    for (Index tokens = 1; tokens <= 700; ++tokens) {
      const Operations operations = decode_operations(model, tokens);
      for (const OperationKind kind : {projections, scores, values, indexer, feed_forward})
        sum += operations[kind].value();
    }
    sum += decode_operations(model, 700)[vocabulary].value();
    EXPECT_NEAR(recomputation_operations(model, 700) / sum, 1, 1e-13) << name;
  }
}

TEST(RecomputationOperations, OfAMillionTokensIsFarAboveOneDecodedToken) {
  const ModelDescription model = describe_model("v1_67b");
  const double once = decode_operations(model, 1'000'000).total().value();
  const double again = recomputation_operations(model, 1'000'000);
  EXPECT_GT(again / once, 500'000);  // attention alone halves it: the average token sees half the prefix
  EXPECT_LT(again / once, 1'000'000);
}

}  // namespace
}  // namespace lacuna
