#include "analysis/statistics/mean.hpp"

#include <gtest/gtest.h>

#include "sample_values.hpp"

namespace lacuna {
namespace {

TEST(StudentMean, OfOneToFiveByHand) {  // deviation sqrt(2.5), t of 4 degrees 2.776445
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const Estimate estimate = student_mean(values);
  EXPECT_EQ(estimate.value, 3);
  EXPECT_NEAR(estimate.interval.high - 3, 2.7764451052 * std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(estimate.interval.low + estimate.interval.high, 6, 1e-12);
}

TEST(StudentMeanGolden, AgreesWithScipy) {
  const Estimate estimate = student_mean(kSampleX);
  EXPECT_NEAR(estimate.value, 1.4083333333333334, 1e-14);
  EXPECT_NEAR(estimate.interval.low, 0.14760921139709016, 1e-10);
  EXPECT_NEAR(estimate.interval.high, 2.6690574552695767, 1e-10);
}

TEST(BcaMeanGolden,
     AgreesWithScipyUpToItsResampling) {  // scipy with 200,000 resamples; the means lie on a grid of 1/120
  const Estimate estimate = bca_mean(kSampleX, 0.95, 100000);
  EXPECT_NEAR(estimate.interval.low, 0.5166666666666666, 0.015);
  EXPECT_NEAR(estimate.interval.high, 2.725, 0.03);
}

TEST(BcaMean, LeansTowardsTheLongTail) {
  const Estimate bca = bca_mean(kSampleX);
  EXPECT_GT(bca.interval.high - bca.value, bca.value - bca.interval.low);
}

TEST(BcaMean, GivesTheSameBitsEveryTimeAndOthersForAnotherSeed) {
  const Estimate first = bca_mean(kSampleX);
  const Estimate again = bca_mean(kSampleX);
  EXPECT_EQ(first.interval.low, again.interval.low);
  EXPECT_EQ(first.interval.high, again.interval.high);
  EXPECT_NE(first.interval.high, bca_mean(kSampleX, 0.95, 2000, 2).interval.high);
}

TEST(Mean, OfFewOrEqualValuesHasNoOrNoWideInterval) {
  EXPECT_TRUE(std::isnan(mean({})));
  const std::vector<double> one = {4};
  EXPECT_EQ(student_mean(one).value, 4);
  EXPECT_TRUE(std::isnan(student_mean(one).interval.low));
  EXPECT_TRUE(std::isnan(bca_mean(one).interval.low));
  const std::vector<double> equal = {4, 4, 4};
  for (const Estimate& estimate : {student_mean(equal), bca_mean(equal)}) {
    EXPECT_EQ(estimate.interval.low, 4);
    EXPECT_EQ(estimate.interval.high, 4);
  }
}

}  // namespace
}  // namespace lacuna
