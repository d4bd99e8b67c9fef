#include "analysis/statistics/paired_comparison.hpp"

#include <gtest/gtest.h>

#include "coverage.hpp"

namespace lacuna {
namespace {

TEST(Frontier, OfAPowerLawIsReadOffExactlyBetweenItsPoints) {
  const auto loss = [](double cost) { return 3 * std::pow(cost, -0.7); };
  const Frontier frontier{{64, 8, 512}, {{loss(64), 2}, {loss(8), 4}, {loss(512), 1}}};
  for (const double cost : {8.0, 11.0, 64.0, 100.0, 511.0, 512.0}) {
    EXPECT_NEAR(at_cost(frontier, cost)[0], loss(cost), 1e-12 * loss(cost)) << cost;
  }
  EXPECT_NEAR(at_cost(frontier, std::sqrt(8.0 * 64))[1], std::sqrt(2.0 * 4), 1e-12);
}

TEST(Frontier, IsStraightWhereOneEndIsZeroAndHasNothingOutside) {
  const Frontier frontier{{1, 100}, {{1, std::nan("")}, {0, 2}}};
  EXPECT_NEAR(at_cost(frontier, 10)[0], 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(at_cost(frontier, 10)[1]));
  EXPECT_EQ(at_cost(frontier, 100)[0], 0);
  EXPECT_TRUE(std::isnan(at_cost(frontier, 0.9)[0]));
  EXPECT_TRUE(std::isnan(at_cost(frontier, 101)[0]));
}

TEST(PairedComparison, SeesADifferenceThatTheSpreadOfQueriesHides) {
  // errors spread over a factor of e^(+-3) from query to query; the first path loses 5 % less on each
  std::vector<RowPlace> places;
  std::vector<double> hard;
  for (int i = 0; i < 400; ++i) {
    places.push_back({0, i});
    hard.push_back(std::exp(normal_values(400, 7)[i]));
  }
  std::vector<double> easier;
  for (const double x : hard) easier.push_back(0.95 * x);
  const PairedComparison found = compare_rows(easier, hard, places);
  EXPECT_LT(found.difference.interval.high, 0);
  EXPECT_EQ(found.first_is_lower.value, 1);
  const PairedComparison same = compare_rows(hard, hard, places);
  EXPECT_EQ(same.difference.value, 0);
  EXPECT_EQ(same.first_is_lower.value, 0.5);
}

TEST(PairedComparison, LeavesOutRowsThatOnlyOneHas) {
  const double nan = std::nan("");
  const PairedComparison found = compare_rows({1, nan, 3, 4}, {2, 5, nan, 6}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  EXPECT_EQ(found.difference.value, -1.5);
}

}  // namespace
}  // namespace lacuna
