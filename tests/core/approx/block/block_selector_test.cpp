#include "core/approx/block/block_selector.hpp"

#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// Blocks of three with means 1, 5, 2, 5, and a last one of a single key with 4.
AttentionProblem thirteen_keys() {
  return problem_of_scores({1, 1, 1, 5, 5, 5, 2, 2, 2, 5, 5, 5, 4}, std::vector<std::vector<double>>(13, {1})).build();
}

PathRow opened(Index k, const Given& more = {}) {
  Given given = {{"select.by", text("block_mean")}, {"select.k", count(k)}, {"select.block_size", count(3)}};
  for (const auto& [key, value] : more) given[key] = value;
  return last_row(run_path(thirteen_keys(), path_of(given)));
}

TEST(BlockSelector, OpensWholeBlocksUntilTheBudgetIsReached) {
  EXPECT_EQ(opened(1).kept, (KeySet{3, 4, 5}));
  EXPECT_EQ(opened(3).kept, (KeySet{3, 4, 5}));
  EXPECT_EQ(opened(4).kept, (KeySet{3, 4, 5, 9, 10, 11}));
  EXPECT_EQ(opened(7).kept, (KeySet{3, 4, 5, 9, 10, 11, 12}));
  EXPECT_EQ(opened(8).kept, (KeySet{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(opened(13).kept.size(), 13U);
}

TEST(BlockSelector, CountsBlocksThatTieAtTheCut) {
  EXPECT_EQ(opened(3).ties_at_cut, 1) << "the other block of 5";
  EXPECT_EQ(opened(4).ties_at_cut, 0);
  EXPECT_EQ(opened(13).ties_at_cut, 0);
}

TEST(BlockSelector, TakesAFractionOfTheVisibleKeys) {
  EXPECT_EQ(opened(1, {{"select.k", 0.2}}).kept.size(), 3U);   // ceil(2.6) = 3
  EXPECT_EQ(opened(1, {{"select.k", 0.25}}).kept.size(), 6U);  // ceil(3.25) = 4
}

TEST(BlockSelector, PassesOverBlocksWithoutCandidates) {
  // the window holds the last three keys, 10, 11, 12: blocks 3 and 4 keep key 9 alone
  const PathRow row = opened(4, {{"window", count(3)}, {"select.outside_window", true}});
  EXPECT_EQ(row.kept, (KeySet{3, 4, 5, 9, 10, 11, 12}));
}

TEST(BlockSelector, ByBoxNeverLosesTheBestKeyOfAnUnlikelyBlock) {
  // the mean of the second block is low, its box is not: (0, 10, 0) against (4, 4, 4)
  const AttentionProblem problem =
      problem_of_scores({4, 4, 4, 0, 10, 0}, std::vector<std::vector<double>>(6, {1})).build();
  const Given k3 = {{"select.k", count(3)}, {"select.block_size", count(3)}};
  Given box = k3, mean = k3;
  box["select.by"] = text("box");
  mean["select.by"] = text("block_mean");
  EXPECT_EQ(last_row(run_path(problem, path_of(box))).kept, (KeySet{3, 4, 5}));
  EXPECT_EQ(last_row(run_path(problem, path_of(mean))).kept, (KeySet{0, 1, 2}));
}

TEST(BlockSelector, KindsSayWhetherTheyReadSummaries) {
  for (const char* name : {"box", "ball", "block_mean"}) {
    EXPECT_FALSE(SelectorRegistry::instance().at(name).is_oracle) << name;
    EXPECT_TRUE(SelectorRegistry::instance().at(name).reads_summaries) << name;
  }
}

}  // namespace
}  // namespace lacuna
