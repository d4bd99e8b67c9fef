#include "analysis/compare/value_comparison.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

bool equal(double a, double b, const Tolerance& tolerance = {}) {
  ValueComparison values(tolerance);
  values.add(std::vector<double>{a}, std::vector<double>{b});
  ValueComparison swapped(tolerance);
  swapped.add(std::vector<double>{b}, std::vector<double>{a});
  EXPECT_EQ(values.equal(), swapped.equal());
  return values.equal();
}

TEST(ValueComparison, IsRelativeAtAnySize) {
  EXPECT_FALSE(equal(1e-20, 2e-20));
  EXPECT_FALSE(equal(1e-300, 1.00001e-300));
  EXPECT_TRUE(equal(1e-20, 1.0000005e-20));
  EXPECT_TRUE(equal(1e300, 1.0000005e300));
  EXPECT_FALSE(equal(0, 1e-300));
  EXPECT_TRUE(equal(0, -0.0));
  EXPECT_TRUE(equal(1, 1 + 0.9e-6));
  EXPECT_FALSE(equal(1, 1 + 1.1e-6));
  EXPECT_FALSE(equal(1e-9, -1e-9));
}

TEST(ValueComparison, AddsTheAbsoluteTolerance) {
  EXPECT_TRUE(equal(1e-20, 2e-20, {1e-6, 1e-15}));
  EXPECT_FALSE(equal(1, 1 + 1e-14, {0, 1e-15}));
}

TEST(ValueComparison, TakesOnlyNanForNanAndOnlyTheSameInfinityForAnInfinity) {
  const Tolerance loose{1, 1e300};
  for (const double other : {0.0, 1.0, kInfinity, -kInfinity}) EXPECT_FALSE(equal(kNan, other, loose)) << other;
  for (const double other : {0.0, 1e308, -kInfinity}) EXPECT_FALSE(equal(kInfinity, other, loose)) << other;
  EXPECT_TRUE(equal(kNan, -kNan, {0, 0}));
  EXPECT_TRUE(equal(kInfinity, kInfinity, {0, 0}));
}

TEST(ValueComparison, ShowsWhatIsNotFiniteFirstElseTheLargestRelativeDifference) {
  ValueComparison values(Tolerance{});
  values.add(std::vector<double>{1, 5, 1e-20}, std::vector<double>{1, 6, 2e-20});
  EXPECT_EQ(values.worst(), 2);
  EXPECT_EQ(values.worst_values(), "1e-20 against 2e-20");
  values.add(std::vector<double>{1, kNan, 3, 4}, std::vector<double>{9, 2, kNan, 4});
  EXPECT_EQ(values.worst(), 4);  // counted over both blocks
  EXPECT_EQ(values.worst_values(), "nan against 2");
  EXPECT_EQ(values.not_finite(), 2);
  EXPECT_EQ(values.differing(), 3);
  EXPECT_EQ(values.values(), 7);
}

TEST(ValueComparison, OfIntegersIsExactBeyondTheRangeOfDoubles) {
  ValueComparison values(Tolerance{1, 1e9});
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  values.add(std::vector<std::int64_t>{large, 7}, std::vector<std::int64_t>{large, 7});
  EXPECT_TRUE(values.equal());
  values.add(std::vector<std::int64_t>{large}, std::vector<std::int64_t>{large - 1});
  EXPECT_FALSE(values.equal());
  EXPECT_EQ(values.worst(), 2);
  EXPECT_EQ(values.worst_values(), "1152921504606846977 against 1152921504606846976");
}

}  // namespace
}  // namespace lacuna
