#include "analysis/statistics/rank_correlation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sample_values.hpp"

namespace lacuna {
namespace {

TEST(RankCorrelationGolden, AgreesWithScipy) { EXPECT_NEAR(spearman(kSampleX, kSampleY), 0.8959784003426069, 1e-13); }

TEST(MidRanks, ShareTheMeanRankAmongEqualValues) {
  EXPECT_EQ(mid_ranks(std::vector<double>{30, 10, 20, 20}), (std::vector<double>{4, 1, 2.5, 2.5}));
}

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(spearman(x, std::vector<double>{1, 8, 27, 64, 125, 1e9}), 1);
  EXPECT_EQ(spearman(x, std::vector<double>{6, 5, 4, 3, 2, 1}), -1);
}

TEST(RankCorrelation, WithoutTiesIsThatOfSquaredRankDifferences) {  // 1 - 6 sum d^2 / (n (n^2 - 1))
  std::mt19937_64 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> x(2 + random() % 60);
    std::iota(x.begin(), x.end(), 1.0);
    std::vector<double> y = x;
    std::shuffle(y.begin(), y.end(), random);
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
    const double n = x.size();
    EXPECT_NEAR(spearman(x, y), 1 - 6 * squares / (n * (n * n - 1)), 1e-12);
  }
}

TEST(RankCorrelation, OfEqualValuesOrOfNothingIsNotDefined) {
  EXPECT_TRUE(std::isnan(spearman(std::vector<double>{1, 2, 3, 4}, std::vector<double>{5, 5, 5, 5})));
  EXPECT_TRUE(std::isnan(spearman({}, {})));
}

}  // namespace
}  // namespace lacuna
