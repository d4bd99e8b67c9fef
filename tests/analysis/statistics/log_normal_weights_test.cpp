#include "analysis/statistics/log_normal_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "coverage.hpp"

namespace lacuna {
namespace {

namespace law = log_normal_weights;

TEST(LogNormalWeightsGolden, BudgetsForFivePercentAreThoseOfTheTheory) {
  EXPECT_NEAR(law::omitted_mass(0.3612, 2), 0.05, 2e-5);
  EXPECT_NEAR(law::omitted_mass(0.0877, 3), 0.05, 1e-4);
  EXPECT_NEAR(law::omitted_mass(0.0093, 4), 0.05, 4e-4);
}

TEST(LogNormalWeightsGolden, MassMissedByAMillionKeysIsThatOfTheTheory) {
  EXPECT_NEAR(law::missed_mass(1e6, 2), 0.003, 5e-4);
  EXPECT_NEAR(law::missed_mass(1e6, 3), 0.04, 5e-3);
  EXPECT_NEAR(law::missed_mass(1e6, 4), 0.23, 5e-3);
}

TEST(LogNormalWeights, EndsOfTheCurvesAreExact) {
  EXPECT_EQ(law::omitted_mass(0, 2), 1);
  EXPECT_EQ(law::omitted_mass(1, 2), 0);
  EXPECT_NEAR(law::omitted_mass(0.3, 0), 0.7, 1e-14);
}

TEST(LogNormalWeights, AreWhatGaussianScoresGive) {
  const double sigma = 1.2;
  const std::size_t n = 400000;
  std::vector<double> weight = normal_values(n, 11);
  double z = 0;
  for (double& w : weight) z += w = std::exp(sigma * w);
  double entropy = 0;
  double squares = 0;
  for (double& w : weight) {
    w /= z;
    entropy -= w * std::log(w);
    squares += w * w;
  }
  std::sort(weight.begin(), weight.end());
  double omitted = 0;
  for (std::size_t i = 0; i < n * 9 / 10; ++i) omitted += weight[i];
  EXPECT_NEAR(omitted, law::omitted_mass(0.1, sigma), 0.003);
  EXPECT_NEAR(entropy, law::entropy(n, sigma), 0.01);
  EXPECT_NEAR(1 / squares / law::effective_keys(n, sigma), 1, 0.05);
}

TEST(LogNormalWeights, HaveNoEntropyBeyondTheFreezingOfTheSum) {  // sqrt(2 ln 1e6) = 5.2565
  EXPECT_NEAR(law::entropy(1e6, 5.256), 0, 0.01);
  EXPECT_GT(law::entropy(1e6, 5.256), 0);
  EXPECT_TRUE(std::isnan(law::entropy(1e6, 5.257)));
}

TEST(LogNormalWeights, HaveNoEffectiveKeysWhereTheLargestWeightRules) {
  EXPECT_TRUE(std::isnan(law::effective_keys(1e6, 3)));  // 2 sigma = 6 > sqrt(2 ln 1e6) = 5.26
  EXPECT_FALSE(std::isnan(law::effective_keys(1e6, 2.6)));
}

}  // namespace
}  // namespace lacuna
