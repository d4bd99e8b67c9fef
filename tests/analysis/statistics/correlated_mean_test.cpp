#include "analysis/statistics/correlated_mean.hpp"

#include <gtest/gtest.h>

#include "analysis/statistics/block_length.hpp"
#include "block_bootstrap.hpp"
#include "coverage.hpp"

namespace lacuna {
namespace {

std::vector<std::vector<PositionSums>> one_row_each(const std::vector<std::vector<double>>& sequences) {
  std::vector<std::vector<PositionSums>> sums;
  for (const auto& sequence : sequences) {
    sums.emplace_back();
    for (const double x : sequence) sums.back().push_back({x, 1});
  }
  return sums;
}

TEST(BlockLength, IsThatOfTheFormulaForAnAutoregression) {  // ((3/2) (2 phi / (1 - phi^2))^2 n)^(1/3)
  for (const double phi : {0.5, 0.8}) {
    double sum = 0;
    for (std::uint64_t replica = 0; replica < 20; ++replica)
      sum += static_cast<double>(block_length(autoregressive_values(20000, phi, replica))) / 20;
    const double expected = std::cbrt(1.5 * std::pow(2 * phi / (1 - phi * phi), 2) * 20000);
    EXPECT_NEAR(sum, expected, 0.15 * expected) << phi;
  }
}

TEST(BlockLength, IsOneForIndependentEqualOrFewValues) {
  EXPECT_LE(block_length(normal_values(1000, 0)), 2);
  EXPECT_EQ(block_length(std::vector<double>(100, 3.0)), 1);
  EXPECT_EQ(block_length(std::vector<double>{1, 2, 3, 4, 5, 6, 7}), 1);
}

TEST(BlockLength, OfATrendIsTheLongestAllowed) {
  std::vector<double> trend;
  for (int i = 0; i < 90; ++i) trend.push_back(i);
  EXPECT_GE(block_length(trend), 15);
  EXPECT_LE(block_length(trend), 28);  // 3 sqrt(90)
}

TEST(CorrelatedMean, OfSequencesIsStudentsOverTheirMeansWhenTheyAreEquallyLong) {
  const std::vector<std::vector<double>> sequences = {{1, 2, 3}, {2, 4, 6}, {0, 0, 3}, {5, 5, 5}};
  const CorrelatedMean found = correlated_mean(one_row_each(sequences));
  const double half = 3.1824463052837 * std::sqrt(10.0 / 3 / 4);  // t of 3 degrees; squares 1 + 1 + 4 + 4 of the means
  EXPECT_DOUBLE_EQ(found.value, 3);
  EXPECT_EQ(found.degrees, 3);
  EXPECT_NEAR(found.interval.low, 3 - half, 1e-9);
  EXPECT_NEAR(found.interval.high, 3 + half, 1e-9);
  EXPECT_EQ(found.standard_error(), found.across);
}

TEST(CorrelatedMean, WithoutCorrelationIsStudentsWithinASequence) {  // blocks of 1, V = T s^2
  const std::vector<double> values = {3, 1, 2, 5, 4, 4};
  const CorrelatedMean found = correlated_mean(one_row_each({values}));
  EXPECT_EQ(found.block, 1);
  EXPECT_TRUE(std::isnan(found.across));
  const double t_of_7_5_degrees = 2.3337;            // between 2.3646 of 7 and 2.3060 of 8
  const double error = std::sqrt(65.0 / 6 / 5 / 6);  // mean 19 / 6, squares 71 - 19^2 / 6 = 65 / 6
  EXPECT_NEAR(found.interval.high - found.value, t_of_7_5_degrees * error, 2e-3);
}

TEST(CorrelatedMean, OfManyHeadsAtAPositionCountsThePositionOnce) {
  const std::vector<double> values = autoregressive_values(200, 0.3, 1);
  std::vector<std::vector<PositionSums>> heads = {{}};
  for (const double x : values) heads.front().push_back({16 * x, 16});
  const CorrelatedMean of_heads = correlated_mean(heads);
  const CorrelatedMean of_one = correlated_mean(one_row_each({values}));
  EXPECT_NEAR(of_heads.within, of_one.within, 1e-14);
  EXPECT_NEAR(of_heads.interval.low, of_one.interval.low, 1e-14);
}

TEST(CorrelatedMean, IsTheRatioWherePositionsHoldDifferentNumbersOfRows) {
  const CorrelatedMean found = correlated_mean({{{2, 1}, {0, 0}, {9, 3}, {4, 2}}});
  EXPECT_EQ(found.value, 2.5);
  // residuals -.5, 1.5, -1 over the three positions that hold rows: T^2 / (T (T - 1)) sum r^2 = 3 / 2 * 3.5
  EXPECT_NEAR(found.within, std::sqrt(1.5 * 3.5) / 6, 1e-14);
}

TEST(CorrelatedMean, KnowsTheErrorOfAnAutoregression) {
  const double phi = 0.6;
  double sum = 0;
  for (std::uint64_t replica = 0; replica < 50; ++replica)
    sum += correlated_mean(one_row_each({autoregressive_values(4000, phi, replica)})).within / 50;
  const double expected = std::sqrt((1 + phi) / (1 - phi) / 4000);
  EXPECT_NEAR(sum, expected, 0.04 * expected);
  EXPECT_GT(sum, 1.8 * std::sqrt(1.0 / 4000));  // what positions taken for independent would say
}

TEST(CorrelatedMean, TakesATrendOverPositionsForNoError) {
  // a mass that grows along the sequence and saturates, on top of the same noise
  std::vector<double> noise = normal_values(500, 3);
  std::vector<double> trend = noise;
  for (int t = 0; t < 500; ++t) trend[t] += 20 * (1 - std::exp(-t / 200.0));
  const CorrelatedMean with = correlated_mean(one_row_each({trend}));
  const CorrelatedMean without = correlated_mean(one_row_each({noise}));
  EXPECT_LT(with.within, 1.3 * without.within);
  EXPECT_NEAR(without.within, std::sqrt(1.0 / 500), 0.1 * std::sqrt(1.0 / 500));
}

TEST(CorrelatedMean, OfACubicInThePositionHasNoError) {
  std::vector<double> cubic;
  for (int t = 0; t < 200; ++t) cubic.push_back(1 + t * (0.5 - t * (0.01 - 1e-4 * t)));
  EXPECT_LT(correlated_mean(one_row_each({cubic})).within, 1e-12 * std::abs(cubic.back()));
}

TEST(CorrelatedMean, OfNothingOrOnePositionHasNoInterval) {
  EXPECT_TRUE(std::isnan(correlated_mean({}).value));
  EXPECT_TRUE(std::isnan(correlated_mean({{{0, 0}}}).value));
  const CorrelatedMean single = correlated_mean({{{6, 3}}});
  EXPECT_EQ(single.value, 2);
  EXPECT_TRUE(std::isnan(single.interval.low));
}

TEST(BlockBootstrap, OfAMeanAgreesWithTheFormulaWithinOneSequence) {
  // independent values: blocks of 1, so that the resampled variance is (n - 1) / n of the formula's
  const std::vector<double> values = normal_values(60, 2);
  const double found = resampled_error_of_mean({values}, 20000);
  const double expected = correlated_mean(one_row_each({values})).within * std::sqrt(59.0 / 60);
  EXPECT_NEAR(found, expected, 0.03 * expected);
}

TEST(BlockBootstrap, OfAMeanAgreesWithTheFormulaAcrossSequences) {
  std::vector<std::vector<double>> sequences;
  for (std::uint64_t s = 0; s < 8; ++s) sequences.push_back(autoregressive_values(40, 0.5, s));
  const double found = resampled_error_of_mean(sequences, 20000);
  const double expected = correlated_mean(one_row_each(sequences)).across * std::sqrt(7.0 / 8);
  EXPECT_NEAR(found, expected, 0.03 * expected);
}

}  // namespace
}  // namespace lacuna
