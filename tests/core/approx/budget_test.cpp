#include "core/approx/budget.hpp"

#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"
#include "support/random_shapes.hpp"
#include "support/wide_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

Budget budget_of(const ParameterValue& k) {
  Parameters path;
  path.set("select.k", k);
  return Budget::from(path);
}

struct Taken {
  KeySet keys;
  Index ties = 0;
};

/// What the kind `main` takes of keys with these scores.
Taken take(const std::vector<double>& scores, const std::string& what, const ParameterValue& value) {
  const AttentionProblem problem =
      problem_of_scores(scores, std::vector<std::vector<double>>(scores.size(), {1})).build();
  const PathRow row = last_row(run_path(problem, path_of({{"select.by", text("main")}, {"select." + what, value}})));
  return {row.kept, row.ties_at_cut};
}

TEST(Budget, OfACountIsThatCount) {
  EXPECT_EQ(budget_of(count(5)).keys(100), 5);
  EXPECT_EQ(budget_of(count(5)).keys(2), 5);
  EXPECT_EQ(Budget::of_keys(7).keys(100), 7);
}

TEST(Budget, OfAFractionIsRoundedUp) {
  EXPECT_EQ(budget_of(0.5).keys(4), 2);
  EXPECT_EQ(budget_of(0.5).keys(5), 3);
  EXPECT_EQ(budget_of(1.0).keys(7), 7);
  EXPECT_EQ(budget_of(1e-9).keys(7), 1);
  EXPECT_EQ(budget_of(0.5).keys(0), 0);
}

TEST(Budget, OfAFractionThatGivesAWholeNumberIsThatNumber) {
  // 7 % of 100 keys are 7, although the product of the doubles is 7.000000000000001
  std::string wrong;
  for (Index percent = 1; percent <= 100; ++percent)
    for (Index n = 1; n <= 1000; ++n) {
      if (percent * n % 100 != 0) continue;
      const Index keys = budget_of(static_cast<double>(percent) / 100).keys(n);
      if (keys != percent * n / 100 && wrong.size() < 300)
        wrong += fmt::format("{} % of {} keys: {}; ", percent, n, keys);
    }
  EXPECT_EQ(wrong, "");
}

TEST(Budget, TakesTheHighestScoresAndTheLowestIndicesOfTies) {
  EXPECT_EQ(take({1, 4, 2, 4, 3}, "k", count(1)).keys, (KeySet{1}));
  EXPECT_EQ(take({1, 4, 2, 4, 3}, "k", count(1)).ties, 1);
  EXPECT_EQ(take({1, 4, 2, 4, 3}, "k", count(3)).keys, (KeySet{1, 3, 4}));
  EXPECT_EQ(take({1, 4, 2, 4, 3}, "k", count(3)).ties, 0);
  EXPECT_EQ(take({0, -0.0, 0, -0.0}, "k", count(2)).keys, (KeySet{0, 1}));
  EXPECT_EQ(take({0, -0.0, 0, -0.0}, "k", count(2)).ties, 2);
}

TEST(Budget, OfAMassIsTheSmallestSetThatHoldsIt) {
  // weights 1, 8, 2, 4, 1 of 16
  const std::vector<double> s = {0, std::log(8), std::log(2), std::log(4), 0};
  EXPECT_EQ(take(s, "mass", 0.0).keys, (KeySet{1}));
  EXPECT_EQ(take(s, "mass", 0.49).keys, (KeySet{1}));
  EXPECT_EQ(take(s, "mass", 0.51).keys, (KeySet{1, 3}));
  EXPECT_EQ(take(s, "mass", 0.74).keys, (KeySet{1, 3}));
  EXPECT_EQ(take(s, "mass", 0.76).keys, (KeySet{1, 2, 3}));
  EXPECT_EQ(take(s, "mass", 0.9).keys, (KeySet{0, 1, 2, 3}));
  EXPECT_EQ(take(s, "mass", 0.9).ties, 1);
  EXPECT_EQ(take(s, "mass", 0.95).keys, (KeySet{0, 1, 2, 3, 4}));
  EXPECT_EQ(take(s, "mass", 1.0).keys, (KeySet{0, 1, 2, 3, 4}));
}

TEST(Budget, OfAMassAgreesWithWideSumsAndIgnoresTheSink) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    ProblemShape shape = random_shape(seed, 40, 5);
    shape.h_q = 1;
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    Random random(seed);
    const double mass = random.uniform();
    const PathRow row =
        last_row(run_path(problem, path_of({{"select.by", text("main")}, {"select.mass", ParameterValue(mass)}})));
    const Wide total = wide.weight(wide.all());
    const Wide held = wide.weight(row.kept);
    EXPECT_GE(to_double(Wide(held / total)), mass * (1 - 1e-12)) << shape.describe();
    Wide smallest = wide.e[row.kept.front()];
    for (const RowIndex j : row.kept) smallest = std::min(smallest, wide.e[j]);
    if (row.kept.size() > 1) {
      EXPECT_LT(to_double(Wide((held - smallest) / total)), mass * (1 + 1e-12)) << shape.describe();
    }
  }
}

TEST(Budget, OfAMassSurvivesScoresOfAnySize) {
  EXPECT_EQ(take({1e4, 1e4 + std::log(3)}, "mass", 0.7).keys, (KeySet{1}));
  EXPECT_EQ(take({-2e4, -2e4 + std::log(3)}, "mass", 0.8).keys, (KeySet{0, 1}));
}

TEST(Budget, AsksForExactlyOneOfCountAndMass) {
  Parameters path;
  EXPECT_EQ(check_budget(path, true).size(), 1U);
  EXPECT_EQ(check_budget(path, true).front().key, "select.k");
  path.set("select.k", count(4));
  EXPECT_TRUE(check_budget(path, true).empty());
  path.set("select.mass", 0.5);
  EXPECT_EQ(check_budget(path, true).size(), 1U);
  EXPECT_EQ(check_budget(path, true).front().key, "select.mass");
}

}  // namespace
}  // namespace lacuna
