#include "core/model/cost/positions.hpp"

#include <gtest/gtest.h>

#include "core/model/cost/layer_reads.hpp"
#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"

namespace lacuna {
namespace {

/// The decoder's part of V4.1's index scores: layers 2, 8 and 14 score floor(N / 2) keys each.
Index decoder_index(Index scored, Index tokens) { return scored - 3 * (tokens / 2); }

// n (R + 1) against n + R min(n, B r), with R = 4 and B r = 16,384.
TEST(ScoredPositions, APoolLimitsTheLaterIndexers) {
  const ModelDescription model = describe_model("v41_flash");
  for (const auto& [n, without, with] : std::vector<std::tuple<Index, Index, Index>>{
           {131'072, 655'360, 196'608}, {1'000'000, 5'000'000, 1'065'536}, {16'384, 81'920, 81'920}, {8, 40, 40}}) {
    const ScoredPositions scored = scored_positions(model, n);
    EXPECT_EQ(decoder_index(scored.index, n), with) << n;
    EXPECT_EQ(decoder_index(scored.index_without_pool, n), without) << n;
  }
}

// 1,000,003 rows end in a block of 3, which the pool holds: 2047 blocks of 8 and 3 rows.
TEST(ScoredPositions, AnIncompleteNewestBlockShortensThePool) {
  const Index n = 1'000'003;
  const ScoredPositions scored = scored_positions(describe_model("v41_flash"), n);
  EXPECT_EQ(decoder_index(scored.index, n), n + 4 * (2047 * 8 + 3));
}

TEST(ScoredPositions, WithoutAPoolBothAreEqual) {
  const ModelDescription model = changed(describe_model("v41_flash"), {.pool = CandidatePool{}});
  const ScoredPositions scored = scored_positions(model, 1'000'000);
  EXPECT_EQ(scored.index, 3 * 500'000 + 5 * 1'000'000);
  EXPECT_EQ(scored.index, scored.index_without_pool);
}

TEST(ScoredPositions, EveryLayerOfV41ReadsAtMostSixHundredAndForty) {
  const ModelDescription model = describe_model("v41_flash");
  const ScoredPositions scored = scored_positions(model, 1'000'000);
  EXPECT_EQ(scored.main, 38 * 512);
  EXPECT_EQ(scored.local, 40 * 128);
  const ScoredPositions few = scored_positions(model, 101);
  EXPECT_EQ(few.main, 18 * 50 + 20 * 101);
  EXPECT_EQ(few.local, 40 * 101);
}

// V4-Flash: 21 layers select 512 of n / 4, 20 read all n / 128, 43 read the window.
TEST(ScoredPositions, HeavilyCompressedLayersReadEveryEntry) {
  const ScoredPositions scored = scored_positions(describe_model("v4_flash"), 1'000'000);
  EXPECT_EQ(scored.main, 21 * 512 + 20 * 7812);
  EXPECT_EQ(scored.local, 43 * 128);
  EXPECT_EQ(scored.index, 21 * 250'000);
}

TEST(ScoredPositions, DenseAttentionReadsEverythingAndIndexesNothing) {
  const ScoredPositions scored = scored_positions(describe_model("v3"), 777);
  EXPECT_EQ(scored.main, 61 * 777);
  EXPECT_EQ(scored.local, 0);
  EXPECT_EQ(scored.index, 0);
  const ScoredPositions sparse = scored_positions(describe_model("v32"), 5000);
  EXPECT_EQ(sparse.main, 61 * 2048);
  EXPECT_EQ(sparse.index, 61 * 5000);
}

TEST(ScoredPositions, ASmallPoolLimitsTheSelectionAsWell) {
  const ModelDescription model =
      changed(describe_model("v41_flash"), {.pool = CandidatePool{.blocks = 32, .block_size = 8, .from_layer = 20}});
  // Layers 2 to 23 select 512; layers 24 to 39 find 256 rows in the pool.
  EXPECT_EQ(scored_positions(model, 1'000'000).main, 22 * 512 + 16 * 256);
  const ModelDescription cut =
      changed(describe_model("v41_flash"), {.pool = CandidatePool{.blocks = 64, .block_size = 8, .from_layer = 20}});
  EXPECT_EQ(scored_positions(cut, 1'000'000).main, 38 * 512);  // 64 blocks of 8 are exactly top_k
  const ModelDescription through =
      changed(describe_model("v41_flash"), {.pool = CandidatePool{.blocks = 65, .block_size = 8, .from_layer = 20}});
  EXPECT_NO_THROW(layer_reads(through));  // 513 to 520
  const ModelDescription unclear =
      changed(describe_model("v41_flash"), {.top_k = 510, .pool = CandidatePool{64, 8, 20}});  // 505 to 512
  EXPECT_THROW(layer_reads(unclear), UsageError);
}

TEST(PrefillLayerTokens, TheDecoderRunsOnTheLastWindowOnly) {
  const ModelDescription model = describe_model("v41_flash");
  EXPECT_EQ(full_layer_tokens(model, 1'000'000), 40'000'000);
  EXPECT_EQ(prefill_layer_tokens(model, 1'000'000), 20'000'000 + 20 * 128);
  EXPECT_EQ(prefill_layer_tokens(model, 100), 4'000);
  EXPECT_EQ(prefill_layer_tokens(describe_model("v4_flash"), 1'000), 43'000);
}

TEST(PrefillLayerTokens, ACrossDecoderWithoutWindowsTakesTheLastTokenOnly) {
  EXPECT_EQ(prefill_layer_tokens(describe_model("yoco"), 5'000), 13 * 5'000 + 13);
  EXPECT_EQ(prefill_layer_tokens(describe_model("yoco_window"), 5'000), 13 * 5'000 + 13);
}

TEST(PrefillLayerTokens, AModelThatSharesNothingIsAPlainDecoder) {
  const ModelDescription model = changed(describe_model("v41_flash"), {.shared = false});
  EXPECT_EQ(prefill_layer_tokens(model, 1'000), 40'000);
}

}  // namespace
}  // namespace lacuna
