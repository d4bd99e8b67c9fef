// The candidate pool and what theory.md, section 6, says of it.
#include "core/approx/pool.hpp"

#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

Given pool(Index blocks, Index block_size, bool pin, const char* rank_by = "max") {
  return {{"pool.blocks", count(blocks)},
          {"pool.block_size", count(block_size)},
          {"pool.pin_newest", pin},
          {"pool.rank_by", text(rank_by)}};
}

KeySet keys_of(const std::vector<double>& scores, const Given& given) {
  const AttentionProblem problem =
      problem_of_scores(scores, std::vector<std::vector<double>>(scores.size(), {1})).build();
  return last_row(run_path(problem, path_of(given))).kept;
}

TEST(Pool, KeepsTheBlocksThatRankHighestByHand) {
  // maxima of blocks of two: 3, 9, 5, 4, and a single 1
  const std::vector<double> s = {3, 0, 9, 0, 0, 5, 4, 4, 1};
  EXPECT_EQ(keys_of(s, pool(1, 2, false)), (KeySet{2, 3}));
  EXPECT_EQ(keys_of(s, pool(3, 2, false)), (KeySet{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(keys_of(s, pool(9, 2, false)), key_range(0, 9));
}

TEST(Pool, PinsTheNewestBlockInPlaceOfTheLast) {
  const std::vector<double> s = {3, 0, 9, 0, 0, 5, 4, 4, 1};
  EXPECT_EQ(keys_of(s, pool(1, 2, true)), (KeySet{8}));
  EXPECT_EQ(keys_of(s, pool(2, 2, true)), (KeySet{2, 3, 8}));
  EXPECT_EQ(keys_of(s, pool(3, 2, true)), (KeySet{2, 3, 4, 5, 8}));
}

TEST(Pool, TakesTheLowestOfEqualBlocksAndCountsTheRest) {
  const AttentionProblem problem =
      problem_of_scores(std::vector<double>(40, 2.0), std::vector<std::vector<double>>(40, {1})).build();
  const PathRow row = last_row(run_path(problem, path_of(pool(3, 4, false))));
  EXPECT_EQ(row.kept, key_range(0, 12));
  EXPECT_EQ(row.ties_at_cut, 7);
  const PathRow pinned = last_row(run_path(problem, path_of(pool(3, 4, true))));
  EXPECT_EQ(pinned.kept, set_union(key_range(0, 8), key_range(36, 40)));
  EXPECT_EQ(pinned.ties_at_cut, 7);
}

TEST(Pool, RanksByMeanOrBoxWhenAsked) {
  // blocks of two: (0, 10) and (6, 6): the maximum prefers the first, the mean the second
  EXPECT_EQ(keys_of({0, 10, 6, 6}, pool(1, 2, false, "max")), (KeySet{0, 1}));
  EXPECT_EQ(keys_of({0, 10, 6, 6}, pool(1, 2, false, "box")), (KeySet{0, 1}));
  EXPECT_EQ(keys_of({0, 10, 6, 6}, pool(1, 2, false, "mean")), (KeySet{2, 3}));
}

TEST(Pool, PinnedSizeFollowsItsFormula) {
  // min(n, B r - ((-n) mod r)): the newest block may be short
  for (const Index n : {1, 2, 3, 7, 8, 9, 16, 23, 24, 25, 61})
    for (const Index r : {1, 2, 3, 5, 8, 70})
      for (const Index blocks : {1, 2, 3, 8, 100}) {
        const AttentionProblem problem = random_problem({.n = n, .d_qk = 2, .d_v = 1, .seed = 5}).build();
        const PathRow row = last_row(run_path(problem, path_of(pool(blocks, r, true))));
        const Index missing = (r - n % r) % r;
        EXPECT_EQ(static_cast<Index>(row.kept.size()), std::min(n, blocks * r - missing))
            << "n " << n << " r " << r << " B " << blocks;
      }
}

TEST(Pool, OfAsManyEntriesAsAreVisibleLosesNothing) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const PathRun run = run_path(problem, path_of(pool((shape.n + 4) / 5, 5, shape.seed % 2 == 0)));
    for (Index query = 0; query < shape.s_q; ++query)
      for (const PathRow& row : run.rows[query])
        EXPECT_EQ(row.kept, key_range(0, problem.visible_keys(problem.query_position[query]))) << shape.describe();
  }
}

/// Share of random cases whose selection of k keys differs with a pool of `blocks`.
double share_that_differs(Index (*blocks_for)(Index k), bool pin, std::uint64_t first_seed, Index cases = 4000) {
  Index differ = 0;
  for (Index i = 0; i < cases; ++i) {
    Random random(first_seed + static_cast<std::uint64_t>(i));
    ProblemShape shape{.n = random.integer(1, 60), .d_qk = 3, .d_v = 1, .seed = first_seed + i};
    shape.data = random.chance(0.3) ? Data::tied : Data::gaussian;
    const AttentionProblem problem = random_problem(shape).build();
    const Index k = random.integer(1, 9);
    const Given select = {{"select.by", text("main")}, {"select.k", count(k)}};
    Given both = pool(blocks_for(k), random.integer(1, 9), pin);
    both.insert(select.begin(), select.end());
    differ += last_row(run_path(problem, path_of(select))).kept != last_row(run_path(problem, path_of(both))).kept;
  }
  return static_cast<double>(differ) / static_cast<double>(cases);
}

TEST(Pool, ChangesNoSelectionWhenItHasABlockForEachKey) {
  EXPECT_EQ(share_that_differs([](Index k) { return k; }, false, 10000), 0);
  EXPECT_EQ(share_that_differs([](Index k) { return k + 3; }, false, 20000), 0);
  EXPECT_EQ(share_that_differs([](Index k) { return k + 1; }, true, 30000), 0) << "with the pin: one block more";
}

TEST(Pool, ChangesManySelectionsWhenThePinTakesABlock) {
  const double share = share_that_differs([](Index k) { return k; }, true, 40000);
  RecordProperty("share_that_differs", fmt::format("{:.3f}", share));
  EXPECT_GT(share, 0.1);  // else the test above could not fail
  EXPECT_LT(share, 0.6);
}

TEST(Pool, NoKeyOutsideOfItIsReadOrCharged) {
  // ranked by summaries, the selection scores the pool alone: every key outside may be NaN
  for (const ProblemShape& shape : stage_shapes())
    for (const char* by : {"main", "value_aware", "random", "box"}) {
      Given given = pool(3, 4, true, "box");
      given.insert({{"select.by", text(by)}, {"select.k", count(5)}});
      EXPECT_FALSE(PathTraits::of(path_of(given)).is_oracle) << by;
      const RawProblem raw = random_problem(shape);
      const AttentionProblem clean = raw.build();
      const PathRun expected = run_path(clean, path_of(given));
      RawProblem poisoned = raw;
      for (Index kv_head = 0; kv_head < shape.h_kv; ++kv_head) {
        KeySet within;
        for (Index head = 0; head < shape.h_q; ++head)
          if (clean.kv_head_of(head) == kv_head) within = set_union(within, expected.rows.back()[head].reachable);
        for (const RowIndex j : set_difference(key_range(0, shape.n), within)) poisoned.poison(kv_head, j);
      }
      const AttentionProblem dirty = poisoned.build();
      const PathRun answers = run_path(clean, path_of(given), {.first_query = shape.s_q - 1, .answer_with = &dirty});
      EXPECT_TRUE(same_answers({expected.rows.back()}, answers.rows)) << by << "\n" << shape.describe();
      for (const PathRow& row : expected.rows.back())
        EXPECT_LE(row.keys_scored, static_cast<Index>(row.reachable.size())) << by << "\n" << shape.describe();
    }
}

TEST(Pool, OfAnEmptyCacheIsEmpty) {
  RawProblem raw = random_problem({.n = 3, .d_qk = 2, .d_v = 1});
  raw.query_position = {-1};
  for (const char* rank_by : {"max", "mean", "box", "ball"}) {
    const PathRow row = last_row(run_path(raw.build(), path_of(pool(2, 2, true, rank_by))));
    EXPECT_TRUE(row.kept.empty());
    EXPECT_TRUE(row.reachable.empty());
    EXPECT_EQ(row.o, std::vector<double>{0.0});
  }
}

TEST(Pool, SharedByHeadsIsOnePool) {
  const ProblemShape shape{.h_q = 4, .h_kv = 2, .s_q = 3, .n = 50, .d_qk = 4, .d_v = 2, .seed = 6};
  const AttentionProblem problem = random_problem(shape).build();
  Given given = pool(3, 4, true);
  given.insert({{"select.by", text("main")}, {"select.k", count(2)}, {"select.share", text("layer")}});
  const PathRun run = run_path(problem, path_of(given));
  for (Index query = 0; query < 3; ++query)
    for (Index head = 1; head < 4; ++head) EXPECT_EQ(run.rows[query][head].reachable, run.rows[query][0].reachable);
}

}  // namespace
}  // namespace lacuna
