#include "analysis/statistics/quantile.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_EQ(quantile({5, 7, 6}, 0), 5);
  EXPECT_EQ(quantile({5, 7, 6}, 1), 7);
}

TEST(Quantile, OfNothingIsNotANumberAndOfInfinitiesIsInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(quantile({infinity, infinity}, 0.5), infinity);
  EXPECT_EQ(quantile({1, infinity}, 0), 1);
}

}  // namespace
}  // namespace lacuna
