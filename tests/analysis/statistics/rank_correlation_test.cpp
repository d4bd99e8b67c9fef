#include "analysis/statistics/rank_correlation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample_values.hpp"

namespace lacuna {
namespace {

/// tau_b, pair by pair.
double kendall_pair_by_pair(const std::vector<double>& x, const std::vector<double>& y) {
  double score = 0;
  double different_x = 0;
  double different_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      score += ((x[i] > x[j]) - (x[i] < x[j])) * ((y[i] > y[j]) - (y[i] < y[j]));
      different_x += x[i] != x[j];
      different_y += y[i] != y[j];
    }
  return score / std::sqrt(different_x * different_y);
}

TEST(RankCorrelationGolden, AgreesWithScipy) {
  EXPECT_NEAR(spearman(kSampleX, kSampleY).value, 0.8959784003426069, 1e-13);
  EXPECT_NEAR(kendall(kSampleX, kSampleY).value, 0.7503664793768668, 1e-13);
}

TEST(MidRanks, ShareTheMeanRankAmongEqualValues) {
  EXPECT_EQ(mid_ranks(std::vector<double>{30, 10, 20, 20}), (std::vector<double>{4, 1, 2.5, 2.5}));
}

TEST(Kendall, CountsEveryPairWithAndWithoutTies) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random() % 60;
    const std::size_t values = round % 2 == 0 ? 5 : 1000;
    std::vector<double> x(n);
    std::vector<double> y(n);
    for (double& v : x) v = static_cast<double>(random() % values);
    for (double& v : y) v = static_cast<double>(random() % values);
    const double expected = kendall_pair_by_pair(x, y);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(kendall(x, y).value));
    else
      EXPECT_NEAR(kendall(x, y).value, expected, 1e-13);
  }
}

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<double> same = {1, 8, 27, 64, 125, 1e9};
  const std::vector<double> reverse = {6, 5, 4, 3, 2, 1};
  for (const auto& correlation : {spearman, kendall}) {
    EXPECT_EQ(correlation(x, same, 0.95).value, 1);
    EXPECT_EQ(correlation(x, same, 0.95).interval.low, 1);
    EXPECT_EQ(correlation(x, reverse, 0.95).value, -1);
    EXPECT_EQ(correlation(x, reverse, 0.95).interval.high, -1);
  }
}

TEST(RankCorrelation, OfEqualValuesIsNotDefinedAndOfFourPairsHasNoInterval) {
  const std::vector<double> x = {1, 2, 3, 4};
  const std::vector<double> equal = {5, 5, 5, 5};
  for (const auto& correlation : {spearman, kendall}) {
    EXPECT_TRUE(std::isnan(correlation(x, equal, 0.95).value));
    EXPECT_TRUE(std::isnan(correlation(x, x, 0.95).interval.low));
  }
}

}  // namespace
}  // namespace lacuna
