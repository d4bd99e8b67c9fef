#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"
#include "support/wide_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

Parameters value_aware_of(Index k) { return path_of({{"select.by", text("value_aware")}, {"select.k", count(k)}}); }

KeySet taken(const std::vector<double>& scores, const std::vector<std::vector<double>>& values, Index k) {
  return last_row(run_path(problem_of_scores(scores, values).build(), value_aware_of(k))).kept;
}

TEST(ValueAwareSelector, RanksByWeightTimesNormByHand) {
  // weights 8, 4, 2, 1; norms 1, 5, 0.5, 13: products 8, 20, 1, 13
  const std::vector<double> s = {std::log(8), std::log(4), std::log(2), 0};
  const std::vector<std::vector<double>> v = {{1, 0}, {3, -4}, {0, 0.5}, {5, 12}};
  EXPECT_EQ(taken(s, v, 1), (KeySet{1}));
  EXPECT_EQ(taken(s, v, 2), (KeySet{1, 3}));
  EXPECT_EQ(taken(s, v, 3), (KeySet{0, 1, 3}));
}

TEST(ValueAwareSelector, RanksAsWeightTimesNormInWideArithmetic) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    ProblemShape shape = random_shape(seed, 40, 6);
    if (shape.data == Data::tied || shape.data == Data::cancelling) shape.data = Data::gaussian;
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const Index k = std::min<Index>(5, shape.n);
    const KeySet kept = last_row(run_path(problem, value_aware_of(k))).kept;
    Wide smallest_kept = 1e300;
    Wide largest_lost = 0;
    for (const RowIndex j : kept) smallest_kept = std::min<Wide>(smallest_kept, wide.e[j] * wide_norm(wide.v[j]));
    for (const RowIndex j : set_difference(wide.all(), kept))
      largest_lost = std::max<Wide>(largest_lost, wide.e[j] * wide_norm(wide.v[j]));
    EXPECT_TRUE(largest_lost <= smallest_kept * Wide(1 + 1e-11)) << shape.describe();
  }
}

TEST(ValueAwareSelector, TakesAZeroValueLastButTakesIt) {
  EXPECT_EQ(taken({10, 0, 1}, {{0, 0}, {1, 1}, {1, 1}}, 2), (KeySet{1, 2}));
  EXPECT_EQ(taken({10, 0, 1}, {{0, 0}, {1, 1}, {1, 1}}, 3), (KeySet{0, 1, 2}));
}

TEST(ValueAwareSelector, TakesAZeroValueLastAtAnyScore) {
  // p ||v|| is 0 for the first key, however far its score lies above the others
  EXPECT_EQ(taken({1000, 0, 1}, {{0, 0}, {1, 1}, {1, 1}}, 2), (KeySet{1, 2}));
}

TEST(ValueAwareSelector, OfEqualNormsIsTheMainSelection) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RawProblem raw = random_problem({.n = 30, .d_qk = 4, .d_v = 3, .seed = seed});
    for (Index j = 0; j < 30; ++j)
      for (Index c = 0; c < 3; ++c) raw.value(0, j, c) = (j + c) % 2 == 0 ? 2 : -2;
    EXPECT_EQ(last_row(run_path(raw.build(), value_aware_of(7))).kept,
              last_row(run_path(raw.build(), path_of({{"select.by", text("main")}, {"select.k", count(7)}}))).kept);
  }
}

TEST(ValueAwareSelector, UsesTheNormsOfTheHeadsOwnKvHead) {
  // two KV heads with opposite norms and equal scores
  RawProblem raw = random_problem({.h_q = 2, .h_kv = 2, .n = 2, .d_qk = 1, .d_v = 1});
  raw.q = {0, 0};
  raw.v = {1, 9, 9, 1};
  const PathRun run = run_path(raw.build(), value_aware_of(1));
  EXPECT_EQ(run.rows[0][0].kept, (KeySet{1}));
  EXPECT_EQ(run.rows[0][1].kept, (KeySet{0}));
}

}  // namespace
}  // namespace lacuna
