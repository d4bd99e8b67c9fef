#include "core/base/rational.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace lacuna {
namespace {

TEST(Rational, IsInLowestTerms) {
  EXPECT_EQ(Rational(6, 4), Rational(3, 2));
  EXPECT_EQ(Rational(-6, 4).numerator(), -3);
  EXPECT_EQ(Rational(0, 7).denominator(), 1);
  EXPECT_TRUE(Rational(8, 4).is_whole());
  EXPECT_FALSE(Rational(1, 3).is_whole());
}

TEST(Rational, AddsAndMultipliesExactly) {
  EXPECT_EQ(Rational(1, 3) + Rational(1, 6), Rational(1, 2));
  EXPECT_EQ(Rational(2, 3) * Rational(9, 4), Rational(3, 2));
  EXPECT_EQ(Rational(0) * Rational(5, 7), Rational(0));
  Rational sum;
  for (int i = 0; i < 128; ++i) sum += Rational(584, 128);
  EXPECT_EQ(sum, Rational(584));
}

TEST(Rational, AgreesWithTheFieldAxiomsOnSmallFractions) {
  for (int a = -4; a <= 4; ++a)
    for (int b = 1; b <= 5; ++b)
      for (int c = -4; c <= 4; ++c)
        for (int d = 1; d <= 5; ++d) {
          const Rational x(a, b), y(c, d);
          EXPECT_EQ((x + y).numerator() * b * d, (a * d + c * b) * (x + y).denominator());
          EXPECT_EQ((x * y).numerator() * b * d, a * c * (x * y).denominator());
        }
}

TEST(Rational, RefusesWhatDoesNotFit) {
  const Rational large(std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(large + Rational(1), InternalError);
  EXPECT_THROW(large * Rational(2), InternalError);
  EXPECT_EQ((large * Rational(1, 7)).numerator(), std::numeric_limits<std::int64_t>::max() / 7);  // 7 divides it
  EXPECT_THROW(Rational(1, 0), InternalError);
}

TEST(Rational, IsPrintedAsAFraction) {
  EXPECT_EQ(to_string(Rational(14057, 4)), "14057/4");
  EXPECT_EQ(to_string(Rational(890)), "890");
  EXPECT_EQ(Rational(14057, 4).value(), 3514.25);
}

}  // namespace
}  // namespace lacuna
