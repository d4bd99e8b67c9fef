// RMSNorm and LayerNorm, against hand numbers and their definitions in long double.
#include "core/mechanism/norm.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "support/random.hpp"

namespace lacuna {
namespace {

using testing_core::Random;

void expect_close(const std::vector<double>& x, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t c = 0; c < x.size(); ++c)
    EXPECT_TRUE(std::abs(x[c] - expected[c]) <= tolerance) << x[c] << " and " << expected[c];
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  std::vector<double> x = {1, -7, 5, 5};  // mean square 25
  rms_norm(x, {}, 0);
  expect_close(x, {0.2, -1.4, 1, 1}, 1e-15);
  x = {1, -7, 5, 5};
  rms_norm(x, std::vector<double>({10, 1, 0, -2}), 0);
  expect_close(x, {2, -1.4, 0, -2}, 1e-15);
}

TEST(RmsNorm, AddsEpsilonToTheMeanSquare) {
  std::vector<double> x = {1, -7, 5, 5};
  rms_norm(x, {}, 75);  // sqrt(25 + 75) = 10
  expect_close(x, {0.1, -0.7, 0.5, 0.5}, 1e-15);
  std::vector<double> zero(3, 0.0);
  rms_norm(zero, {}, 1e-6);
  EXPECT_EQ(zero, std::vector<double>(3, 0.0));
}

TEST(LayerNorm, CentresThenDividesByTheDeviation) {
  std::vector<double> x = {1, 3, 9, 7};  // mean 5, deviations -4 -2 4 2, mean square 10
  layer_norm(x, {}, {}, 6);              // sqrt(10 + 6) = 4
  expect_close(x, {-1, -0.5, 1, 0.5}, 1e-15);
  x = {1, 3, 9, 7};
  layer_norm(x, std::vector<double>({1, 2, 3, 0}), std::vector<double>({10, 20, 30, 40}), 6);
  expect_close(x, {9, 19, 33, 40}, 1e-14);
}

TEST(LayerNorm, OfAConstantVectorIsTheBias) {
  std::vector<double> x(5, 3.25);
  const std::vector<double> bias = {1, 2, 3, 4, 5};
  layer_norm(x, {}, bias, 1e-6);
  EXPECT_EQ(x, bias);
}

TEST(LayerNorm, IgnoresAShiftAndAScaleAndRmsNormAScaleOnly) {
  Random random(3);
  for (const int n : {2, 3, 7, 64, 127}) {
    std::vector<double> x(n), moved(n), scaled(n);
    for (int c = 0; c < n; ++c) {
      x[c] = random.normal();
      moved[c] = 3 * x[c] + 5;
      scaled[c] = 3 * x[c];
    }
    std::vector<double> layer = x, rms = x, rms_moved = moved;
    layer_norm(layer, {}, {}, 0);
    layer_norm(moved, {}, {}, 0);
    expect_close(moved, layer, 1e-12);
    rms_norm(rms, {}, 0);
    rms_norm(scaled, {}, 0);
    expect_close(scaled, rms, 1e-12);
    rms_norm(rms_moved, {}, 0);
    EXPECT_GT(std::abs(rms_moved[0] - rms[0]) + std::abs(rms_moved[1] - rms[1]), 1e-3);
  }
}

TEST(Norms, AgreeWithTheirDefinitionsInLongDouble) {
  Random random(4);
  for (const int n : {1, 2, 3, 5, 7, 8, 9, 61, 113, 1011}) {
    std::vector<double> x(n), gamma(n), beta(n);
    for (int c = 0; c < n; ++c) {
      x[c] = 2 * random.normal() + 1;
      gamma[c] = random.normal();
      beta[c] = random.normal();
    }
    const double eps = 1e-3;
    long double mean = 0, square = 0, variance = 0;
    for (const double c : x) mean += static_cast<long double>(c) / n;
    for (const double c : x) {
      square += static_cast<long double>(c) * c / n;
      variance += (c - mean) * (c - mean) / n;
    }
    std::vector<double> expected_rms(n), expected_layer(n);
    for (int c = 0; c < n; ++c) {
      expected_rms[c] = static_cast<double>(gamma[c] * x[c] / std::sqrt(square + eps));
      expected_layer[c] = static_cast<double>(gamma[c] * (x[c] - mean) / std::sqrt(variance + eps) + beta[c]);
    }
    std::vector<double> rms = x;
    rms_norm(rms, gamma, eps);
    expect_close(rms, expected_rms, 1e-12);
    layer_norm(x, gamma, beta, eps);
    expect_close(x, expected_layer, 1e-12);
  }
}

TEST(Norms, RefuseAGainOfAnotherSize) {
  std::vector<double> x(3, 1.0);
  EXPECT_THROW(rms_norm(x, std::vector<double>(2), 0), InternalError);
  EXPECT_THROW(layer_norm(x, std::vector<double>(2), {}, 0), InternalError);
  EXPECT_THROW(layer_norm(x, {}, std::vector<double>(4), 0), InternalError);
}

}  // namespace
}  // namespace lacuna
