#include "analysis/statistics/correlated_quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/statistics/rate.hpp"
#include "coverage.hpp"
#include "independent_quantile.hpp"

namespace lacuna {
namespace {

std::vector<RowPlace> one_sequence(int positions, int heads = 1) {
  std::vector<RowPlace> places;
  for (int head = 0; head < heads; ++head)
    for (int position = 0; position < positions; ++position) places.push_back({0, position});
  return places;
}

TEST(CorrelatedQuantile, OfIndependentValuesIsAboutTheOrderStatistics) {
  const std::vector<double> values = normal_values(4001, 3);
  const Estimate plain = independent_quantile(values, 0.5);
  const Estimate found = correlated_quantiles(one_sequence(4001), values, {0.5}).front();
  EXPECT_EQ(found.value, plain.value);
  EXPECT_NEAR(found.interval.low, plain.interval.low, 0.01);
  EXPECT_NEAR(found.interval.high, plain.interval.high, 0.01);
}

TEST(CorrelatedQuantile, IsNoNarrowerWhenEveryHeadRepeatsTheSameValue) {
  const std::vector<double> values = normal_values(500, 4);
  std::vector<double> repeated;
  for (int head = 0; head < 8; ++head) repeated.insert(repeated.end(), values.begin(), values.end());
  const Estimate one = correlated_quantiles(one_sequence(500), values, {0.5}).front();
  const Estimate eight = correlated_quantiles(one_sequence(500, 8), repeated, {0.5}).front();
  EXPECT_NEAR(eight.interval.high - eight.interval.low, one.interval.high - one.interval.low, 0.02);
  EXPECT_LT(independent_quantile(repeated, 0.5).interval.high - independent_quantile(repeated, 0.5).interval.low,
            0.5 * (eight.interval.high - eight.interval.low));
}

TEST(CorrelatedQuantile, KeepsInfinitiesAndTellsWhenTooFewRowsHaveNoEnd) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = normal_values(50, 5);
  values[7] = infinity;
  const std::vector<Estimate> found = correlated_quantiles(one_sequence(50), values, {0.5, 0.99});
  EXPECT_TRUE(std::isfinite(found[0].interval.high));
  EXPECT_EQ(found[1].interval.high, infinity);
  EXPECT_TRUE(std::isnan(correlated_quantiles({}, {}, {0.5}).front().value));
}

TEST(CorrelatedQuantile, OfEqualValuesIsThatValue) {
  const Estimate found = correlated_quantiles(one_sequence(100), std::vector<double>(100, 0.0), {0.5}).front();
  EXPECT_EQ(found.value, 0);
  EXPECT_EQ(found.interval.low, 0);
  EXPECT_EQ(found.interval.high, 0);
}

TEST(CorrelatedRate, OfRepeatedHeadsIsThatOfOne) {
  std::vector<double> events;
  for (int i = 0; i < 300; ++i) events.push_back(CounterRng(6, "rate").uniform(i) < 0.2 ? 1 : 0);
  std::vector<double> repeated;
  for (int head = 0; head < 6; ++head) repeated.insert(repeated.end(), events.begin(), events.end());
  const Estimate one = correlated_rate(one_sequence(300), events);
  const Estimate six = correlated_rate(one_sequence(300, 6), repeated);
  EXPECT_NEAR(six.value, one.value, 1e-15);
  EXPECT_NEAR(six.interval.low, one.interval.low, 0.005);
  EXPECT_NEAR(six.interval.high, one.interval.high, 0.005);
  EXPECT_LT(six.interval.low, clopper_pearson(6 * 300 * six.value, 6 * 300).interval.low - 0.01);
}

TEST(CorrelatedRate, WithoutAnEventIsClopperAndPearsonsForAllRows) {
  const Estimate none = correlated_rate(one_sequence(40), std::vector<double>(40, 0.0));
  EXPECT_EQ(none.interval.low, 0);
  EXPECT_NEAR(none.interval.high, clopper_pearson(0, 40).interval.high, 1e-15);
  EXPECT_EQ(correlated_rate({}, {}).interval.high, 1);
}

}  // namespace
}  // namespace lacuna
