#include "core/model/cost/cache_bytes.hpp"

#include <gtest/gtest.h>

#include "core/model/cost/published_policies.hpp"
#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "core/model/presets/yoco.hpp"

namespace lacuna {
namespace {

using enum TensorKind;

Rational persistent_per_token(const ModelDescription& model, const StoragePolicy& policy) {
  const CacheBytes bytes = bytes_per_token(model, policy);
  return bytes[main].total + bytes[index].total;
}

// L N h 2 d b with 32 layers, 32 heads of 128 channels, 2 bytes, 32768 tokens: 16 GiB.
TEST(CacheBytes, MultiHeadAttentionKeepsKAndVOfEveryHead) {
  const ModelDescription model = describe_model("llama_7b");
  EXPECT_EQ(cache_bytes(model, {}, 32768)[main].total, Rational(17'179'869'184));
  EXPECT_EQ(cache_bytes(model, {}, 32768).stored(), Rational(17'179'869'184));
  EXPECT_EQ(bytes_per_token(model, {})[main].total, Rational(2 * 32 * 32 * 128 * 2));
}

TEST(CacheBytes, GroupedQueriesKeepEightHeadsOfSixtyFour) {
  const ModelDescription grouped = describe_model("v1_67b");
  EXPECT_EQ(persistent_per_token(grouped, {}), Rational(389'120));
  EXPECT_EQ(persistent_per_token(changed(grouped, {.kv_heads = 64}), {}), Rational(8 * 389'120));
}

// L N (d_c + d_R) b.
TEST(CacheBytes, LatentAttentionKeepsTheLatentAndOneRotatedKey) {
  const ModelDescription model = describe_model("v3");
  EXPECT_EQ(cache_bytes(model, {}, 1000)[main].total, Rational(61 * 1000 * (512 + 64) * 2));
}

TEST(CacheBytes, SparseLatentAttentionKeepsIndexKeysBesideIt) {
  const CacheBytes bytes = bytes_per_token(describe_model("v32"), published::v32());
  EXPECT_EQ(bytes[main].total + bytes[index].total, Rational(48'068));
  EXPECT_EQ(bytes[main].total, Rational(61 * 656));
  EXPECT_EQ(bytes[index].total, Rational(61 * 132));
  EXPECT_EQ(bytes[main].scales, Rational(61 * 16));
  EXPECT_EQ(bytes[index].scales, Rational(61 * 4));
}

TEST(CacheBytes, FlashAndProOfV4CostTheirExactFractions) {
  const Rational flash = persistent_per_token(describe_model("v4_flash"), published::v4());
  EXPECT_EQ(flash, Rational(14'057, 4));  // 3514.25
  const Rational fp8_index = persistent_per_token(describe_model("v4_flash"),
                                                  published::stored("v4_main_row", "v32_index_row", "v4_main_row"));
  EXPECT_EQ(fp8_index, Rational(15'401, 4));  // 3850.25

  const Rational pro = persistent_per_token(describe_model("v4_pro"), published::v4());
  EXPECT_EQ(pro, Rational(30 * 652, 4) + Rational(31 * 584, 128));
  EXPECT_EQ(pro, Rational(80'503, 16));  // 5031.4375
  EXPECT_NEAR(flash.value() / 48'068, 0.0731, 5e-5);
  EXPECT_NEAR(pro.value() / 48'068, 0.1047, 5e-5);
}

TEST(CacheBytes, V41KeepsFourSharedCaches) {
  const ModelDescription model = describe_model("v41_flash");
  const CacheBytes shared = bytes_per_token(model, published::v41());
  EXPECT_EQ(shared[main].total, Rational(720));
  EXPECT_EQ(shared[index].total, Rational(170));
  EXPECT_EQ(persistent_per_token(changed(model, {.shared = false}), published::v41()), Rational(10'324));
  EXPECT_NEAR(389'120.0 / 890, 437.21, 5e-3);
  EXPECT_NEAR(persistent_per_token(describe_model("v4_flash"), published::v4()).value() / 890, 3.949, 5e-4);
}

TEST(CacheBytes, AMillionTokensOfV41TakeNineTenthsOfAGigabyte) {
  const CacheBytes bytes = cache_bytes(describe_model("v41_flash"), published::v41(), 1'000'000);
  EXPECT_EQ(bytes[main].total + bytes[index].total, Rational(890'000'000));
  EXPECT_EQ(bytes[local].total, Rational(2'703'360));  // 40 layers of 128 tokens of 528 bytes
  EXPECT_EQ(bytes[local].scales, Rational(40 * 128 * 16));
  // Compressors of layers 2, 8 and 14 hold 2 slots of 512 values and logits; layer 20 pools nothing.
  EXPECT_EQ(bytes[state].total, Rational(3 * 2 * 512 * 2 * 4));
  // 125,000 block maxima in f32 and a mask of a byte per row.
  EXPECT_EQ(bytes[routing].total, Rational(125'000 * 4 + 1'000'000));
}

// Layers 2, 4, ..., 42 hold 8 slots of 1024 channels and, for index keys, of 256; layers 3, ..., 41 hold 128 of 512.
TEST(CacheBytes, V4KeepsTheSlotsOfItsCompressors) {
  const CacheBytes bytes = cache_bytes(describe_model("v4_flash"), published::v4(), 5);
  EXPECT_EQ(bytes[state].total, Rational(4 * 2 * (21 * 8 * (1024 + 256) + 20 * 128 * 512)));
  EXPECT_EQ(bytes[routing].total, Rational(0));
}

TEST(CacheBytes, IncompleteGroupsHaveNoEntry) {
  const ModelDescription model = describe_model("v4_flash");
  // 131 tokens: 32 entries of 4 and one of 128; 3 tokens of each kind of group wait.
  const CacheBytes bytes = cache_bytes(model, published::v4(), 131);
  EXPECT_EQ(bytes[main].total, Rational(21 * 32 * 584 + 20 * 584));
  EXPECT_EQ(bytes[index].total, Rational(21 * 32 * 68));
  EXPECT_EQ(bytes[local].total, Rational(43 * 128 * 584));
  const CacheBytes few = cache_bytes(model, published::v4(), 3);
  EXPECT_EQ(few[main].total, Rational(0));
  EXPECT_EQ(few[local].total, Rational(43 * 3 * 584));
  EXPECT_EQ(cache_bytes(describe_model("v41_flash"), published::v41(), 1'000'003)[main].total,
            Rational(3 * 500'001 * 288 + 1'000'003 * 288));
}

// N b_g + L w b_loc, with one global K and V of 8 heads and 13 layers of 24 heads in a window of 1024.
TEST(CacheBytes, YocoGrowsByOneLayerOnly) {
  const ModelDescription model = describe_model("yoco_window");
  const CacheBytes bytes = cache_bytes(model, {}, 100'000);
  EXPECT_EQ(bytes[main].total, Rational(100'000LL * 2 * 8 * 128 * 2));
  EXPECT_EQ(bytes[local].total, Rational(13LL * 1024 * 2 * 24 * 128 * 2));
  EXPECT_EQ(bytes[state].total, Rational(0));
  const CacheBytes retained = cache_bytes(describe_model("yoco"), {}, 100'000);
  EXPECT_EQ(retained[main].total, bytes[main].total);
  EXPECT_EQ(retained[local].total, Rational(0));
  EXPECT_EQ(retained[state].total, Rational(13 * 24 * 128 * 128 * 4));
}

TEST(CacheBytes, GrowByWhatATokenCostsFromOneWholeGroupToTheNext) {
  for (const auto& [name, policy] : std::vector<std::pair<std::string, StoragePolicy>>{
           {"v1_67b", {}}, {"v32", published::v32()}, {"v4_pro", published::v4()}, {"v41_flash", published::v41()}}) {
    const ModelDescription model = describe_model(name);
    for (const Index groups : {1, 3, 10}) {
      const CacheBytes bytes = cache_bytes(model, policy, 128 * groups);
      EXPECT_EQ(bytes[main].total + bytes[index].total, persistent_per_token(model, policy) * Rational(128 * groups))
          << name;
    }
  }
}

// 3 (b_main + b_index) / 2 + (b_main + b_index) at V4's 652 bytes, then 4 (b) / 4 where every entry holds 4 tokens.
TEST(CacheBytes, ALayerPatternChangesThem) {
  const ModelDescription model = describe_model("v41_flash");
  EXPECT_EQ(persistent_per_token(model, published::v4()), Rational(1630));
  std::vector<Index> fours(40, 4);
  fours[0] = fours[1] = 0;
  EXPECT_EQ(persistent_per_token(changed(model, {.ratios = fours}), published::v4()), Rational(652));
  EXPECT_EQ(persistent_per_token(changed(model, {.layers = 20}), published::v41()), Rational(534));
}

TEST(CacheBytes, ADecodedTokenReadsWhatItIsScoredAgainst) {
  const CacheBytes dense = bytes_read(describe_model("llama_7b"), {}, 1001);
  EXPECT_EQ(dense[main].total, cache_bytes(describe_model("llama_7b"), {}, 1001)[main].total);

  const Index n = 131'072;
  const CacheBytes sparse = bytes_read(describe_model("v32"), published::v32(), n);
  EXPECT_EQ(sparse[main].total, Rational(61 * 2048 * 656));
  EXPECT_EQ(sparse[index].total, Rational(61 * n * 132));

  // 38 layers read 512 entries of 288 bytes, whoever owns them; layers 2, 8, 14 score n / 2 keys, layer 20 n, and
  // layers 24 to 36 the pool's.
  const CacheBytes shared = bytes_read(describe_model("v41_flash"), published::v41(), n);
  EXPECT_EQ(shared[main].total, Rational(38 * 512 * 288));
  EXPECT_EQ(shared[index].total, Rational((3 * n / 2 + n + 4 * 16'384) * 68));
  EXPECT_EQ(shared[local].total, Rational(2'703'360));
}

TEST(StoragePolicy, NamesTheKindAndTheLayerThatDoNotFit) {
  const auto faults = published::v41().check(describe_model("v3"));
  ASSERT_EQ(faults.size(), 1u);  // it has neither index keys nor a window
  EXPECT_EQ(faults[0].kind, "main");
  EXPECT_EQ(faults[0].message, "layer 0: v41_main_row stores rows of 512 channels, and these have 576");
  EXPECT_EQ(published::v32().check(describe_model("v4_flash")).size(), 1u);
  EXPECT_TRUE(published::v32().check(describe_model("v32")).empty());
  EXPECT_TRUE(published::v41().check(describe_model("v41_flash")).empty());
}

}  // namespace
}  // namespace lacuna
