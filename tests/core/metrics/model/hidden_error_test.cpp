#include "core/metrics/model/hidden_error.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(HiddenError, OfAVectorByHand) {
  const std::vector<double> h = {3, 4, 0}, moved = {3, 0, 3};
  const HiddenError error = hidden_error(h, moved);
  EXPECT_EQ(error.norm, 5);
  EXPECT_EQ(error.relative, 1);
  EXPECT_NEAR(error.cosine, 9 / (5 * std::sqrt(18.0)), 1e-15);
  EXPECT_FALSE(error.is_zero);
  EXPECT_EQ(hidden_norm(h), 5);
}

TEST(HiddenError, IsZeroOnlyWhereEveryNumberIsTheSame) {
  const std::vector<double> h = {1, -2, 0.5};
  EXPECT_TRUE(hidden_error(h, h).is_zero);
  EXPECT_EQ(hidden_error(h, h).norm, 0);
  std::vector<double> moved = h;
  moved[1] = std::nextafter(moved[1], 0);
  EXPECT_FALSE(hidden_error(h, moved).is_zero);
  const std::vector<double> tiny = {1e-200, 0}, tinier = {0, 0};
  EXPECT_EQ(hidden_error(tiny, tinier).norm, 0);  // the squares vanish
  EXPECT_FALSE(hidden_error(tiny, tinier).is_zero);
  const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(hidden_error(nan, nan).is_zero);
}

}  // namespace
}  // namespace lacuna
