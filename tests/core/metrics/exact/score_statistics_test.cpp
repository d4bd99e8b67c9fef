// score_mean, score_std, score_ks
#include <gtest/gtest.h>

#include "support/exact_metrics.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// sup_x |F_n(x) - F(x)| by counting, at every sample from both sides.
long double naive_ks(const std::vector<double>& s, long double mean, long double deviation) {
  long double largest = 0;
  const long double n = static_cast<long double>(s.size());
  for (const double x : s) {
    long double below = 0, at_or_below = 0;
    for (const double y : s) {
      below += y < x;
      at_or_below += y <= x;
    }
    const long double f = erfcl(-(static_cast<long double>(x) - mean) / deviation / sqrtl(2.0L)) / 2;
    largest = std::max({largest, fabsl(f - below / n), fabsl(at_or_below / n - f)});
  }
  return largest;
}

TEST(ScoreStatistics, AgreeWithHandNumbers) {
  // scores 0, 2, 4: mean 2, variance 8/3; a sink takes no part
  RawProblem raw = problem_of_scores({4, 0, 2}, {{1}, {1}, {1}});
  raw.sink_logit = {100};
  EXPECT_EQ(exact_metric("score_mean", raw.build())[0], 2);
  EXPECT_NEAR(exact_metric("score_std", raw.build())[0], std::sqrt(8 / 3.0), 1e-15);
  // z = +-1.2247, F = .1103, .5, .8897: the steps 1/3 and 2/3 are .2230 away at the outer samples
  EXPECT_NEAR(exact_metric("score_ks", raw.build())[0], 0.2230, 5e-5);
}

TEST(ScoreStatistics, AgreeWithNaiveSums) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 5);
    const AttentionProblem problem = random_problem(shape).build();
    const ExactRow row = exact_of(problem, 0, 0);
    Wide sum = 0;
    for (const double s : row.s) sum += Wide(s);
    const Wide mean = sum / row.visible;
    Wide squares = 0;
    for (const double s : row.s) squares += (Wide(s) - mean) * (Wide(s) - mean);
    const Wide deviation = sqrt(Wide(squares / row.visible));
    EXPECT_NEAR(exact_metric("score_mean", problem)[0], to_double(mean), 4e-16 * row.score_magnitude_max);
    EXPECT_NEAR(exact_metric("score_std", problem)[0], to_double(deviation), 4e-16 * row.score_magnitude_max);
    if (deviation > Wide(1e-12) * row.score_magnitude_max) {
      EXPECT_NEAR(
          exact_metric("score_ks", problem)[0],
          static_cast<double>(naive_ks(row.s, mean.convert_to<long double>(), deviation.convert_to<long double>())),
          1e-9)
          << shape.describe();
    }
  }
}

TEST(ScoreStatistics, OfEqualScoresHaveNoDistanceFromNormal) {
  Random random(6);
  std::string wrong;
  for (Index n = 1; n <= 120; ++n) {
    const double s = random.normal();
    const AttentionProblem problem =
        problem_of_scores(std::vector<double>(n, s), std::vector<std::vector<double>>(n, {1})).build();
    const double ks = exact_metric("score_ks", problem)[0];
    if (!std::isnan(ks)) wrong += fmt::format("\n{} scores of {} give {}", n, s, ks);
    EXPECT_LE(exact_metric("score_std", problem)[0], 2e-16 * std::abs(s));
  }
  EXPECT_EQ(wrong, "");
}

TEST(ScoreStatistics, OfNormalScoresAreCloseToNormal) {
  const AttentionProblem problem = random_problem({.n = 2000, .d_qk = 32, .d_v = 1, .seed = 12}).build();
  const double ks = exact_metric("score_ks", problem)[0];
  EXPECT_LT(ks, 1.031 / std::sqrt(2000.0));  // Lilliefors, 1 %
  EXPECT_GT(ks, 0.3 / std::sqrt(2000.0));
}

}  // namespace
}  // namespace lacuna
