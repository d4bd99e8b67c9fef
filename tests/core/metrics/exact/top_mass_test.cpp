#include <gtest/gtest.h>

#include "support/exact_metrics.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(TopMass, RanksAreThePowersOfTwoUpToTheKeys) {
  EXPECT_EQ(exact_coordinate("top_mass", 1), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(exact_coordinate("top_mass", 7), (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_EQ(exact_coordinate("top_mass", 8), (std::vector<std::int64_t>{1, 2, 4, 8}));
}

TEST(TopMass, AgreesWithHandNumbers) {
  // weights 1, 8, 2, 4, 1 over 16: top 1, 2, 4 hold 8, 12, 15
  const AttentionProblem problem =
      problem_of_scores({0, std::log(8), std::log(2), std::log(4), 0}, {{1}, {1}, {1}, {1}, {1}}).build();
  const std::vector<double> mass = exact_metric("top_mass", problem);
  ASSERT_EQ(mass.size(), 3U);
  EXPECT_NEAR(mass[0], 0.5, 1e-15);
  EXPECT_NEAR(mass[1], 0.75, 1e-15);
  EXPECT_NEAR(mass[2], 15 / 16.0, 1e-15);
}

TEST(TopMass, BeyondTheVisibleKeysIsAllOfThem) {
  RawProblem raw = random_problem({.n = 20, .d_qk = 2, .d_v = 1, .seed = 4});
  raw.query_position = {4};  // five keys
  const std::vector<double> mass = exact_metric("top_mass", raw.build());
  ASSERT_EQ(mass.size(), 5U);  // 1, 2, 4, 8, 16
  EXPECT_LT(mass[2], 1);
  EXPECT_NEAR(mass[3], 1, 1e-15);
  EXPECT_EQ(mass[3], mass[4]);
}

TEST(TopMass, ComplementsWhatTheOracleOmits) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 3);
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    WideVector sorted = wide.e;
    std::sort(sorted.begin(), sorted.end(), [](const Wide& a, const Wide& b) { return a > b; });
    const std::vector<double> mass = exact_metric("top_mass", problem);
    const std::vector<std::int64_t> rank = exact_coordinate("top_mass", problem.s_kv());
    for (std::size_t i = 0; i < mass.size(); ++i) {
      Wide sum = 0;
      for (Index j = 0; j < std::min<Index>(rank[i], wide.visible()); ++j) sum += sorted[j];
      EXPECT_LE(relative_error(mass[i], Wide(sum / wide.z)), 1e-12) << shape.describe() << " rank " << rank[i];
    }
  }
}

}  // namespace
}  // namespace lacuna
