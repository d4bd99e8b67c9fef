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

TEST(HiddenError, CosinesLieWithinOneAndAreOneOfEqualStates) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> h(1 + random() % 100);
    for (double& x : h) x = normal(random) * std::pow(10.0, static_cast<int>(random() % 20) - 10);
    EXPECT_EQ(hidden_error(h, h).cosine, 1);
    std::vector<double> scaled = h;  // parallel or opposite up to rounding
    for (double& x : scaled) x *= round % 2 == 0 ? 3 : -3;
    const double cosine = hidden_error(h, scaled).cosine;
    EXPECT_LE(std::abs(cosine), 1);
    EXPECT_NEAR(cosine, round % 2 == 0 ? 1 : -1, 1e-15);
    std::vector<double> other = h;
    for (double& x : other) x = normal(random);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t c = 0; c < h.size(); ++c) {
      ab += h[c] * other[c];
      aa += h[c] * h[c];
      bb += other[c] * other[c];
    }
    EXPECT_NEAR(hidden_error(h, other).cosine, ab / std::sqrt(aa * bb), 1e-13);
  }
  EXPECT_TRUE(std::isnan(hidden_error(std::vector<double>{0, 0}, std::vector<double>{1, 0}).cosine));
}

}  // namespace
}  // namespace lacuna
