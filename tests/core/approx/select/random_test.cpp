#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

const ProblemShape kShape{.h_q = 4, .h_kv = 2, .s_q = 8, .n = 100, .d_qk = 2, .d_v = 1, .seed = 3};

PathRun drawn(Index k, const RunOptions& options = {}, const char* share = "head") {
  return run_path(random_problem(kShape).build(),
                  path_of({{"select.by", text("random")}, {"select.k", count(k)}, {"select.share", text(share)}}),
                  options);
}

KeySet kept(const PathRun& run, Index query, Index head) { return run.rows[query][head].kept; }

TEST(RandomSelector, RepeatsItselfAndDiffersInEveryCoordinate) {
  const PathRun run = drawn(20);
  EXPECT_TRUE(same_answers(run.rows, drawn(20).rows));
  EXPECT_FALSE(same_answers(run.rows, drawn(20, {.seed = 8}).rows));
  EXPECT_FALSE(same_answers(run.rows, drawn(20, {.trial = 1}).rows));
  EXPECT_FALSE(same_answers(run.rows, drawn(20, {.sequence = 1}).rows));
  EXPECT_FALSE(same_answers(run.rows, drawn(20, {.layer = 1, .layer_label = {0, 1}}).rows));
  EXPECT_NE(kept(run, 7, 0), kept(run, 7, 1));
  EXPECT_NE(kept(run, 7, 0), kept(run, 6, 0));
}

TEST(RandomSelector, NestsAsTheBudgetGrows) {
  for (Index k = 1; k < 100; k += 7) {
    const PathRun small = drawn(k);
    const PathRun large = drawn(k + 5);
    for (Index query = 0; query < 8; ++query)
      for (Index head = 0; head < 4; ++head) {
        const KeySet a = kept(small, query, head);
        const KeySet b = kept(large, query, head);
        EXPECT_TRUE(std::includes(b.begin(), b.end(), a.begin(), a.end()));
      }
  }
}

TEST(RandomSelector, TakesEveryKeyEquallyOften) {
  // 4 heads, 8 queries, 60 trials of 25 of at least 93 keys: each of the first 93 is taken about 1/4 of the time
  std::vector<double> times(93, 0.0);
  double expected = 0;
  for (Index trial = 0; trial < 60; ++trial) {
    const PathRun run = drawn(25, {.trial = trial});
    for (Index query = 0; query < 8; ++query)
      for (Index head = 0; head < 4; ++head) {
        expected += 25.0 / static_cast<double>(93 + query);
        for (const RowIndex j : kept(run, query, head))
          if (j < 93) ++times[j];
      }
  }
  // standard deviation sqrt(1920 * .26 * .74) = 19; the largest of 93 stays within 4.5 of them
  for (const double t : times) EXPECT_NEAR(t, expected, 4.5 * 19.3);
  // and they do vary as they should: the mean square of t - expected is 19^2 within a third
  double square = 0;
  for (const double t : times) square += (t - expected) * (t - expected) / 93;
  EXPECT_NEAR(square / (19.3 * 19.3), 1, 0.45);
}

TEST(RandomSelector, DoesNotLookAtTheKeys) {
  ProblemShape other = kShape;
  other.seed = 99;
  const Parameters path = path_of({{"select.by", text("random")}, {"select.k", count(20)}});
  const PathRun a = run_path(random_problem(kShape).build(), path);
  const PathRun b = run_path(random_problem(other).build(), path);
  for (Index query = 0; query < 8; ++query)
    for (Index head = 0; head < 4; ++head) EXPECT_EQ(kept(a, query, head), kept(b, query, head));
}

TEST(RandomSelector, TakesAFractionOfTheVisibleKeys) {
  const PathRun run =
      run_path(random_problem(kShape).build(), path_of({{"select.by", text("random")}, {"select.k", 0.5}}));
  for (Index query = 0; query < 8; ++query)
    EXPECT_EQ(kept(run, query, 0).size(), static_cast<std::size_t>(94 + query) / 2);
}

TEST(RandomSelector, IsRepeatedInTrials) {
  Parameters path = path_of({{"select.by", text("random")}, {"select.k", count(20)}});
  EXPECT_TRUE(PathTraits::of(path).is_random);
  EXPECT_EQ(PathTraits::of(path).trials, 5);
  path.set("select.trials", count(9));
  EXPECT_EQ(PathTraits::of(path).trials, 9);
  EXPECT_EQ(PathTraits::of(path_of({{"select.by", text("main")}, {"select.k", count(2)}})).trials, 1);
}

}  // namespace
}  // namespace lacuna
