#include "core/model/replay_plan.hpp"

#include <gtest/gtest.h>

#include "core/base/rng.hpp"
#include "core/model/cost/positions.hpp"
#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

std::vector<Index> first_runs(const ReplayPlan& plan) {
  std::vector<Index> all;
  for (const LayerReplay& layer : plan.layers) all.push_back(layer.first_run);
  return all;
}

std::vector<Index> first_windows(const ReplayPlan& plan) {
  std::vector<Index> all;
  for (const LayerReplay& layer : plan.layers) all.push_back(layer.first_window);
  return all;
}

std::vector<Index> twice(Index eight, Index more) {
  std::vector<Index> all(8, eight);
  all.insert(all.end(), 8, more);
  return all;
}

// v41_small: 16 layers with windows, 8 of them the encoder.
TEST(ReplayPlan, RunsTheLayersBehindTheEncoderOnTheLastTokens) {
  const ModelDescription model = v41_small(32);
  const ReplayPlan plan = ReplayPlan::of(model, replay_variant("decoder_first"), {.tokens = 100, .length = 30});
  EXPECT_EQ(plan.kept, 100);
  EXPECT_EQ(first_runs(plan), twice(100, 70));
  EXPECT_EQ(first_windows(plan), twice(0, 70));
  EXPECT_EQ(plan.first_place(), 8);
}

TEST(ReplayPlan, MayKeepTheFirstWindowWhole) {
  const ModelDescription model = v41_small(32);
  const ReplayPlan plan = ReplayPlan::of(model, replay_variant("decoder_after_first"), {.tokens = 100, .length = 30});
  EXPECT_EQ(first_runs(plan), twice(100, 70));
  std::vector<Index> windows = twice(0, 70);
  windows[8] = 0;
  EXPECT_EQ(first_windows(plan), windows);
}

TEST(ReplayPlan, GoesOnFromAHitInTheEncoder) {
  const ModelDescription model = v41_small(32);
  const ReplayPlan plan = ReplayPlan::of(model, replay_variant("prefix_hit"), {.tokens = 100, .length = 30, .hit = 64});
  EXPECT_EQ(plan.kept, 64);
  EXPECT_EQ(first_runs(plan), twice(34, 70));
  EXPECT_EQ(first_windows(plan), twice(34, 70));
  EXPECT_EQ(plan.first_place(), 0);
}

TEST(ReplayPlan, AModelWithoutAnEncoderReplaysAllLayersAndIsAllEncoderBehindAHit) {
  const ModelDescription model = small_model("mistral_7b", 3);
  EXPECT_EQ(first_runs(ReplayPlan::of(model, replay_variant("decoder_first"), {.tokens = 50, .length = 7})),
            (std::vector<Index>{43, 43, 43}));
  EXPECT_EQ(first_runs(ReplayPlan::of(model, replay_variant("prefix_hit"), {.tokens = 50, .length = 7, .hit = 20})),
            (std::vector<Index>{13, 13, 13}));
}

TEST(ReplayPlan, OfMoreTokensThanThereAreRunsAll) {
  for (const ReplayVariant& variant : replay_variants()) {
    const ReplayPlan plan = ReplayPlan::of(v41_small(32), variant, {.tokens = 10, .length = 11, .hit = 6});
    EXPECT_EQ(first_windows(plan), twice(0, 0)) << variant.name;
    EXPECT_EQ(first_runs(plan), twice(variant.from_hit ? 0 : 10, 0)) << variant.name;
    EXPECT_EQ(plan.exact_from(v41_small(32)), twice(0, 0)) << variant.name;
  }
}

// Window 8: every layer that lost rows moves the first exact state by 7 tokens.
TEST(ReplayPlan, StatesAreExactLayersTimesWindowLessOneBehindTheStart) {
  const ModelDescription model = v41_small(32);
  const auto from = [&](const char* variant, Index length, Index hit = 0) {
    return ReplayPlan::of(model, replay_variant(variant), {.tokens = 100, .length = length, .hit = hit})
        .exact_from(model);
  };
  EXPECT_EQ(from("decoder_first", 60), (std::vector<Index>{0, 0, 0, 0, 0, 0, 0, 0, 47, 54, 61, 68, 75, 82, 89, 96}));
  EXPECT_EQ(from("decoder_after_first", 60),
            (std::vector<Index>{0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 54, 61, 68, 75, 82, 89}));
  EXPECT_EQ(from("decoder_first", 20).back(), 100);
  // 57 tokens rebuild what enters layer 9, from which rows are made; then 60 of the last 60.
  EXPECT_EQ(from("prefix_hit", 60, 62),
            (std::vector<Index>{9, 16, 23, 30, 37, 44, 51, 58, 65, 72, 79, 86, 93, 100, 100, 100}));
  // Layer 2 makes rows of states that are exact from 14 tokens behind the start on, layer 5 from 35, layer 8 from 56.
  EXPECT_EQ(from("prefix_hit", 34, 50),
            (std::vector<Index>{23, 30, 37, 44, 51, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}));
  EXPECT_EQ(from("prefix_hit", 34, 100)[3], 66 + 28);  // no suffix, no rows made
}

TEST(ReplayPlan, ALayerWithoutAWindowKeepsWhatEntersIt) {
  const ModelDescription model = small_yoco(SelfDecoder::sliding_window);  // windows of 5 in layers 0 to 2
  const ReplayPlan plan = ReplayPlan::of(model, replay_variant("decoder_first"), {.tokens = 40, .length = 1});
  EXPECT_EQ(plan.exact_from(model), std::vector<Index>(6, 0));
  const ReplayPlan hit = ReplayPlan::of(model, replay_variant("prefix_hit"), {.tokens = 40, .length = 12, .hit = 32});
  EXPECT_EQ(hit.exact_from(model), (std::vector<Index>{24, 28, 32, 32, 32, 32}));
}

TEST(ReplayPlan, LayerTokensAreThoseOfTheFormulas) {
  const ModelDescription model = v41_small(32);
  const auto count = [&](const char* variant, Index length, Index hit = 0) {
    return replay_layer_tokens(model, replay_variant(variant), {.tokens = 100, .length = length, .hit = hit});
  };
  EXPECT_EQ(count("decoder_first", 8), 100 * 8 + 8 * 8);
  EXPECT_EQ(count("decoder_after_first", 8), prefill_layer_tokens(model, 100));  // the window is 8
  EXPECT_EQ(count("decoder_first", 300), full_layer_tokens(model, 100));
  EXPECT_EQ(count("prefix_hit", 8, 60), (8 + 40) * 8 + 8 * 8);
  EXPECT_EQ(count("prefix_hit", 70, 60), full_layer_tokens(model, 100) - 30 * 8);
}

TEST(ReplayPlanFaults, NameTheRetentionLayerThatWouldBeReplayed) {
  const ModelDescription model = small_yoco(SelfDecoder::retention);
  EXPECT_NO_THROW(ReplayPlan::of(model, replay_variant("decoder_first"), {.tokens = 9, .length = 2}));
  try {
    ReplayPlan::of(model, replay_variant("prefix_hit"), {.tokens = 9, .length = 2, .hit = 4});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "prefix_hit: layer 0 is a retention layer, whose state sums over all tokens; a replay of the last ones "
        "cannot rebuild it");
  }
}

}  // namespace
}  // namespace lacuna
