#include "analysis/statistics/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace lacuna {
namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

/// sum over count in [from, to] of the binomial probabilities, term by term.
double binomial_sum(int n, double q, int from, int to) {
  double sum = 0;
  for (int k = std::max(from, 0); k <= std::min(to, n); ++k)
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) +
                    (n - k) * std::log1p(-q));
  return sum;
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_EQ(quantile({5, 7, 6}, 0), 5);
  EXPECT_EQ(quantile({5, 7, 6}, 1), 7);
}

TEST(Quantile, OfNothingIsNotANumberAndOfInfinitiesIsInfinite) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(quantile({kInfinity, kInfinity}, 0.5), kInfinity);
  EXPECT_EQ(quantile({1, kInfinity}, 0), 1);
}

TEST(QuantileRanks, OfTheMedianOfTenAreTheSecondAndTheNinth) {  // 1 - 2 * 11 / 1024 = 97.9 %; one further in: 89 %
  const QuantileRanks ranks = quantile_ranks(10, 0.5);
  EXPECT_EQ(ranks.lower, 2);
  EXPECT_EQ(ranks.upper, 9);
}

TEST(QuantileRanks, AreTheTightestThatTheBinomialAllows) {
  for (const int n : {1, 2, 5, 17, 100, 367, 368, 1000})
    for (const double q : {0.01, 0.25, 0.5, 0.9, 0.99}) {
      const QuantileRanks ranks = quantile_ranks(n, q);
      const int l = static_cast<int>(ranks.lower);
      const int u = static_cast<int>(ranks.upper);
      EXPECT_LE(binomial_sum(n, q, 0, l - 1), 0.025 + 1e-12) << n << " " << q;
      EXPECT_GT(binomial_sum(n, q, 0, l), 0.025 - 1e-12) << n << " " << q;
      EXPECT_LE(binomial_sum(n, q, u, n), 0.025 + 1e-12) << n << " " << q;
      EXPECT_GT(binomial_sum(n, q, u - 1, n), 0.025 - 1e-12) << n << " " << q;
    }
}

TEST(QuantileRanks, OfAHighQuantileHaveNoUpperEndBelow368Values) {
  EXPECT_EQ(quantile_ranks(367, 0.99).upper, 368);
  EXPECT_EQ(quantile_ranks(368, 0.99).upper, 368);
  EXPECT_EQ(quantile_ranks(368, 0.01).lower, 1);
}

}  // namespace
}  // namespace lacuna
