#include "analysis/statistics/log_normal_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "coverage.hpp"

namespace lacuna {
namespace {

namespace law = log_normal_weights;

TEST(LogNormalWeightsGolden, BudgetsForFivePercentAreThoseOfTheTheory) {
  EXPECT_NEAR(law::kept_share(0.05, 2), 0.3612, 5e-5);
  EXPECT_NEAR(law::kept_share(0.05, 3), 0.0877, 5e-5);
  EXPECT_NEAR(law::kept_share(0.05, 4), 0.0093, 5e-5);
}

TEST(LogNormalWeightsGolden, MassMissedByAMillionKeysIsThatOfTheTheory) {
  EXPECT_NEAR(law::missed_mass(1e6, 2), 0.003, 5e-4);
  EXPECT_NEAR(law::missed_mass(1e6, 3), 0.04, 5e-3);
  EXPECT_NEAR(law::missed_mass(1e6, 4), 0.23, 5e-3);
}

TEST(LogNormalWeights, BudgetAndOmittedMassAreInverse) {
  for (const double sigma : {0.0, 0.5, 2.0, 4.0})
    for (const double omitted : {1e-9, 0.01, 0.5, 0.99})
      EXPECT_NEAR(law::omitted_mass(law::kept_share(omitted, sigma), sigma) / omitted, 1, 1e-6) << sigma << omitted;
}

TEST(LogNormalWeights, EndsOfTheCurvesAreExact) {
  EXPECT_EQ(law::lorenz_curve(0, 2), 0);
  EXPECT_EQ(law::lorenz_curve(1, 2), 1);
  EXPECT_EQ(law::omitted_mass(0, 2), 1);
  EXPECT_EQ(law::omitted_mass(1, 2), 0);
  EXPECT_EQ(law::kept_share(0, 2), 1);
  EXPECT_EQ(law::kept_share(1, 2), 0);
  EXPECT_NEAR(law::lorenz_curve(0.3, 0), 0.3, 1e-14);
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

TEST(LogNormalWeights, HaveNoEffectiveKeysWhereTheLargestWeightRules) {
  EXPECT_TRUE(std::isnan(law::effective_keys(1e6, 3)));  // 2 sigma = 6 > sqrt(2 ln 1e6) = 5.26
  EXPECT_FALSE(std::isnan(law::effective_keys(1e6, 2.6)));
}

}  // namespace
}  // namespace lacuna
