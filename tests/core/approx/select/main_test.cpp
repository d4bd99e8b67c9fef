#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

Parameters main_of(Index k) { return path_of({{"select.by", text("main")}, {"select.k", count(k)}}); }

TEST(MainSelector, OmitsNoMoreMassThanAnySetOfItsSize) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const ProblemShape shape = random_shape(seed, 40, 5);
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    Random random(seed);
    const Index k = random.integer(1, shape.n);
    const Wide mine = wide.mass(last_row(run_path(problem, main_of(k))).kept);
    for (int other = 0; other < 10; ++other) {
      KeySet keys = wide.all();
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
        std::swap(keys[i], keys[static_cast<std::size_t>(random.integer(static_cast<Index>(i), shape.n - 1))]);
      keys.resize(static_cast<std::size_t>(k));
      EXPECT_TRUE(wide.mass(keys) <= mine * Wide(1 + 1e-12)) << shape.describe();
    }
  }
}

TEST(MainSelector, OrdersHundredsOfQuantisedTiesByIndex) {
  // scores of -4 .. 4 over 500 keys: about 55 keys each
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<double> scores(500);
    for (double& s : scores) s = static_cast<double>(random.integer(-4, 4));
    const AttentionProblem problem = problem_of_scores(scores, std::vector<std::vector<double>>(500, {1})).build();
    std::vector<std::pair<double, RowIndex>> order;
    for (RowIndex j = 0; j < 500; ++j) order.push_back({-scores[j], j});
    std::sort(order.begin(), order.end());
    for (const Index k : {1, 37, 100, 255, 499, 500}) {
      KeySet naive;
      for (Index i = 0; i < k; ++i) naive.push_back(order[i].second);
      std::sort(naive.begin(), naive.end());
      Index ties = 0;
      for (Index i = k; i < 500; ++i) ties += order[i].first == order[k - 1].first;
      const PathRow row = last_row(run_path(problem, main_of(k)));
      EXPECT_EQ(row.kept, naive) << "seed " << seed << " k " << k;
      EXPECT_EQ(row.ties_at_cut, ties) << "seed " << seed << " k " << k;
    }
  }
}

TEST(MainSelector, NestsAsTheBudgetGrows) {
  const AttentionProblem problem =
      random_problem({.n = 60, .d_qk = 2, .d_v = 1, .data = Data::tied, .seed = 2}).build();
  KeySet smaller;
  for (Index k = 1; k <= 60; ++k) {
    const KeySet kept = last_row(run_path(problem, main_of(k))).kept;
    EXPECT_TRUE(std::includes(kept.begin(), kept.end(), smaller.begin(), smaller.end()));
    smaller = kept;
  }
}

TEST(MainSelector, IsStarredAsAnOracle) { EXPECT_TRUE(SelectorRegistry::instance().at("main").is_oracle); }

}  // namespace
}  // namespace lacuna
