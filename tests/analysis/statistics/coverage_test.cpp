// Intervals of 95 % hold in 93 to 97 % of 10^4 replicas of a known law; where they do not, it says why.
#include "coverage.hpp"

#include <gtest/gtest.h>

#include "analysis/statistics/correlated_mean.hpp"
#include "analysis/statistics/correlated_quantile.hpp"
#include "analysis/statistics/hill.hpp"
#include "analysis/statistics/rate.hpp"
#include "independent_quantile.hpp"

namespace lacuna {
namespace {

constexpr double kNormalP99 = 2.3263478740408408;

void expect_nominal(double share) {
  EXPECT_GE(share, 0.93);
  EXPECT_LE(share, 0.97);
}

std::vector<RowPlace> places(int sequences, int positions) {
  std::vector<RowPlace> result;
  for (int s = 0; s < sequences; ++s)
    for (int t = 0; t < positions; ++t) result.push_back({s, t});
  return result;
}

/// Sequences of an autoregression (0.5), each with a level of its own of this deviation, one after the other.
std::vector<double> levelled_sequences(int sequences, int positions, double deviation, std::uint64_t replica) {
  std::vector<double> values;
  for (int s = 0; s < sequences; ++s) {
    const std::uint64_t stream = replica * sequences + s;
    const double level = deviation * CounterRng(9, "coverage.level", stream).normal(0);
    for (const double x : autoregressive_values(positions, 0.5, stream)) values.push_back(level + x);
  }
  return values;
}

TEST(CoverageBounds, OfTheMedian) {
  expect_nominal(coverage(0, [](auto r) { return independent_quantile(normal_values(50, r), 0.5).interval; }));
}

TEST(CoverageBounds, OfTheNinetyNinthPercentileIsMoreThanNominal) {  // ranks are whole: of 1000 values, 97.6 %
  const double share = coverage(
      kNormalP99, [](auto r) { return independent_quantile(normal_values(1000, r), 0.99).interval; }, 4000);
  EXPECT_GE(share, 0.965);
  EXPECT_LE(share, 0.985);
}

TEST(CoverageBounds, OfRatesIsNominalForManyEvents) {
  expect_nominal(coverage(0.3, [](auto r) {
    const CounterRng random(3, "coverage.rate", r);
    int events = 0;
    for (int i = 0; i < 400; ++i) events += random.uniform(i) < 0.3 ? 1 : 0;
    return clopper_pearson(events, 400).interval;
  }));
}

TEST(CoverageBounds, OfRatesIsAtLeastNominalForFewEvents) {  // two in 200: the interval is exact, events are whole
  const double share = coverage(0.01, [](auto r) {
    const CounterRng random(3, "coverage.rate", r);
    int events = 0;
    for (int i = 0; i < 200; ++i) events += random.uniform(i) < 0.01 ? 1 : 0;
    return clopper_pearson(events, 200).interval;
  });
  EXPECT_GE(share, 0.975);
  EXPECT_LE(share, 0.99);
}

TEST(CoverageBounds, OfTheTailIndex) {
  expect_nominal(coverage(1.5, [](auto r) {
    const CounterRng random(4, "coverage.pareto", r);
    std::vector<double> values;
    for (int i = 0; i < 100; ++i) values.push_back(std::pow(random.uniform(i), -1 / 1.5));
    return hill_tail_index(values, hill_tail_size(100)).interval;
  }));
}

TEST(CoverageBounds, OfTheMeanWithinOneSequence) {
  const std::vector<RowPlace> rows = places(1, 400);
  expect_nominal(coverage(
      0, [&](auto r) { return correlated_mean(sum_per_position(rows, autoregressive_values(400, 0.5, r))).interval; }));
}

TEST(CoverageBounds, OfTheMeanOfFewPositionsIsLess) {
  // 64 positions of an autoregression (0.5) are worth 21 independent ones, and no block is both short and independent
  const std::vector<RowPlace> rows = places(1, 64);
  const double share = coverage(
      0, [&](auto r) { return correlated_mean(sum_per_position(rows, autoregressive_values(64, 0.5, r))).interval; });
  EXPECT_GE(share, 0.88);
  EXPECT_LE(share, 0.93);
}

TEST(CoverageBounds, OfTheMeanAcrossFewSequencesThatDifferOrNot) {
  for (const double deviation : {0.0, 0.5}) {
    const std::vector<RowPlace> rows = places(3, 40);
    expect_nominal(coverage(0, [&](auto r) {
      return correlated_mean(sum_per_position(rows, levelled_sequences(3, 40, deviation, r))).interval;
    }));
  }
}

TEST(CoverageBounds, OfQuantilesWithinOneSequence) {
  const std::vector<RowPlace> rows = places(1, 400);
  expect_nominal(coverage(0, [&](auto r) {
    return correlated_quantiles(rows, autoregressive_values(400, 0.5, r), {0.5}).front().interval;
  }));
}

TEST(CoverageBounds, OfQuantilesAcrossSequences) {
  const std::vector<RowPlace> rows = places(8, 40);
  expect_nominal(coverage(0, [&](auto r) {
    return correlated_quantiles(rows, levelled_sequences(8, 40, 0.5, r), {0.5}).front().interval;
  }));
}

TEST(CoverageBounds, OfCorrelatedRates) {
  const std::vector<RowPlace> rows = places(1, 400);
  expect_nominal(coverage(0.1, [&](auto r) {
    std::vector<double> events = autoregressive_values(400, 0.5, r);
    for (double& x : events) x = x > 1.2815515655446004 ? 1 : 0;
    return correlated_rate(rows, events).interval;
  }));
}

}  // namespace
}  // namespace lacuna
