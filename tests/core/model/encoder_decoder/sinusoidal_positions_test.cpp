#include "core/model/encoder_decoder/sinusoidal_positions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace lacuna {
namespace {

TEST(SinusoidalPositions, AtZeroAreSinesAndCosinesOfZero) {
  EXPECT_EQ(sinusoidal_position(0, 6), (std::vector<double>{0, 1, 0, 1, 0, 1}));
}

// d = 4: frequencies 1 and 1/100.
TEST(SinusoidalPositions, ByHandOfWidthFour) {
  const std::vector<double> row = sinusoidal_position(3, 4);
  EXPECT_NEAR(row[0], 0.14112000805986722, 1e-15);   // sin 3
  EXPECT_NEAR(row[1], -0.98999249660044545, 1e-15);  // cos 3
  EXPECT_NEAR(row[2], 0.02999550020249566, 1e-15);   // sin 0.03
  EXPECT_NEAR(row[3], 0.99955003374898752, 1e-15);   // cos 0.03
}

TEST(SinusoidalPositions, ProductsDependOnTheDistanceAlone) {
  for (const Index width : {2, 6, 64}) {
    for (const Index distance : {0, 1, 5, 100}) {
      const auto product = [&](Index t) {
        const std::vector<double> a = sinusoidal_position(t, width), b = sinusoidal_position(t + distance, width);
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
      };
      for (const Index t : {1, 7, 1000}) EXPECT_NEAR(product(t), product(0), 1e-12 * width) << distance;
    }
  }
}

}  // namespace
}  // namespace lacuna
