#include "analysis/statistics/hill.hpp"

#include <gtest/gtest.h>

#include "sample_values.hpp"

namespace lacuna {
namespace {

TEST(HillGolden, AgreesWithNumpyAndScipy) {
  std::vector<double> values;
  for (const double x : kSampleX) values.push_back(std::abs(x));
  const Estimate alpha = hill_tail_index(values, 3);
  EXPECT_NEAR(alpha.value, 1.5897471453366936, 1e-13);
  EXPECT_NEAR(alpha.interval.low, 1.5897471453366936 * 0.20622404, 1e-7);
  EXPECT_NEAR(alpha.interval.high, 1.5897471453366936 * 2.40822922, 1e-7);
}

TEST(Hill, OfThreePowersOfEByHand) {  // ln 3, 2, 1 over ln 1: (2 + 1) / 2 = 1.5
  const Estimate alpha = hill_tail_index({std::exp(1.0), std::exp(3.0), std::exp(2.0), -5, 0}, 2);
  EXPECT_NEAR(alpha.value, 1 / 1.5, 1e-14);
}

TEST(Hill, DoesNotChangeWhenAllValuesAreScaled) {
  std::vector<double> values;
  std::vector<double> scaled;
  for (int i = 1; i <= 100; ++i) {
    values.push_back(std::pow(i / 101.0, -0.5));
    scaled.push_back(1e-9 * values.back());
  }
  EXPECT_NEAR(hill_tail_index(values, 10).value, hill_tail_index(scaled, 10).value, 1e-12);
}

TEST(Hill, NeedsMorePositiveValuesThanTheTailHasAndTwoDifferentOnes) {
  EXPECT_TRUE(std::isnan(hill_tail_index({1, 2, 0, -1}, 2).value));
  EXPECT_TRUE(std::isnan(hill_tail_index({2, 2, 2, 2}, 2).value));
  EXPECT_EQ(hill_tail_size(99), 9);
  EXPECT_EQ(hill_tail_size(100), 10);
}

}  // namespace
}  // namespace lacuna
