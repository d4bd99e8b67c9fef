#include <gtest/gtest.h>

#include "support/exact_metrics.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(MassByDistance, EdgesAreZeroAndThePowersOfTwo) {
  const auto edges = exact_coordinate("mass_by_distance", 9);
  ASSERT_GE(edges.size(), 5U);
  EXPECT_EQ((std::vector<std::int64_t>(edges.begin(), edges.begin() + 5)), (std::vector<std::int64_t>{0, 1, 2, 4, 8}));
}

TEST(MassByDistance, PutsEachKeyInItsBinByHand) {
  // nine keys of weights 2^j at distances 8 - j: bins {0} {1} {2, 3} {4..7} {8..}
  std::vector<double> scores;
  for (int j = 0; j < 9; ++j) scores.push_back(j * std::log(2));
  const AttentionProblem problem =
      problem_of_scores(scores, std::vector<std::vector<double>>(9, std::vector<double>{1})).build();
  const std::vector<double> mass = exact_metric("mass_by_distance", problem);
  const std::vector<double> hand = {256, 128, 64 + 32, 16 + 8 + 4 + 2, 1};
  for (std::size_t i = 0; i < hand.size(); ++i) EXPECT_NEAR(mass[i], hand[i] / 511, 1e-15) << i;
}

TEST(MassByDistance, GoesByPositionNotByRow) {
  // three rows at positions 0, 10, 15, asked from 17: distances 17, 7, 2
  RawProblem raw = problem_of_scores({0, std::log(2), std::log(5)}, {{1}, {1}, {1}});
  raw.key_position = {0, 10, 15};
  raw.query_position = {17};
  // the dimension is made for three keys: edges 0, 1, 2 and whatever lies beyond in the last
  const std::vector<double> mass = exact_metric("mass_by_distance", raw.build());
  double sum = 0;
  for (const double m : mass) sum += m;
  EXPECT_NEAR(sum, 1, 1e-15);
  EXPECT_EQ(mass[0], 0);
  EXPECT_EQ(mass[1], 0);
}

TEST(MassByDistance, LeavesTheSinksShareOut) {
  RawProblem raw = problem_of_scores({0, 0}, {{1}, {1}});
  raw.sink_logit = {std::log(2)};
  const std::vector<double> mass = exact_metric("mass_by_distance", raw.build());
  EXPECT_NEAR(mass[0], 0.25, 1e-16);
  EXPECT_NEAR(mass[1], 0.25, 1e-16);
}

TEST(MassByDistance, SumsToOneWithoutSink) {
  for (const Index n : {1, 2, 3, 17, 64, 65}) {
    const AttentionProblem problem = random_problem({.n = n, .d_qk = 3, .d_v = 1, .seed = 8}).build();
    double sum = 0;
    for (const double m : exact_metric("mass_by_distance", problem)) sum += m;
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

}  // namespace
}  // namespace lacuna
