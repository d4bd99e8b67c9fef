#include "core/model/feed_forward.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lacuna {
namespace {

// erf(1/sqrt 2) = 0.682689492137086 (the mass of a normal within one deviation).
TEST(Gelu, AtOneIsTheNormalDistribution) {
  EXPECT_NEAR(gelu(1), 0.841344746068543, 1e-15);
  EXPECT_NEAR(gelu(-1), -0.158655253931457, 1e-15);
  EXPECT_EQ(gelu(0), 0);
}

// z = 1: tanh(0.7978845608028654 * 1.044715) = tanh(0.8335619849) = 0.6823839814.
TEST(Gelu, TanhFormAtOne) {
  EXPECT_NEAR(gelu_tanh(1), 0.8411919906, 1e-9);
  EXPECT_NEAR(gelu_tanh(-1), -0.1588080094, 1e-9);
  EXPECT_EQ(gelu_tanh(0), 0);
}

TEST(Gelu, FormsDifferByLessThanAThousandthAndByMoreThanAHundredthOfThat) {
  double largest = 0;
  for (double z = -6; z <= 6; z += 0.01) largest = std::max(largest, std::abs(gelu(z) - gelu_tanh(z)));
  EXPECT_LT(largest, 1e-3);
  EXPECT_GT(largest, 1e-5);
}

TEST(Gelu, BothFormsSubtractToTheIdentity) {  // f(z) - f(-z) = z
  for (double z = 0; z <= 9; z += 0.37) {
    EXPECT_NEAR(gelu(z) - gelu(-z), z, 1e-14);
    EXPECT_NEAR(gelu_tanh(z) - gelu_tanh(-z), z, 1e-14);
  }
}

TEST(Swish, OfLogThree) { EXPECT_NEAR(swish(std::log(3.0)), 0.75 * std::log(3.0), 1e-15); }

TEST(FeedForward, SwigluByHand) {
  FeedForwardWeights weights;
  weights.gate = Matrix(1, 2, {std::log(3.0), 0});
  weights.up = Matrix(1, 2, {2, 3});
  weights.down = Matrix(2, 1, {1, -4});
  const std::vector<double> y =
      feed_forward({.kind = FeedForwardKind::swiglu, .width = 1}, weights, std::vector<double>{1, 1});
  EXPECT_NEAR(y[0], 5 * 0.75 * std::log(3.0), 1e-14);
  EXPECT_NEAR(y[1], -20 * 0.75 * std::log(3.0), 1e-14);
}

TEST(FeedForward, ReluByHand) {
  FeedForwardWeights weights;
  weights.up = Matrix(2, 2, {2, 3, -2, -3});
  weights.up_bias = {-4, 4};  // 1 and -1 before the rectifier
  weights.down = Matrix(2, 2, {10, 1000, 20, 1000});
  weights.down_bias = {1, 2};
  EXPECT_EQ(feed_forward({.kind = FeedForwardKind::relu, .width = 2, .bias = true}, weights, std::vector<double>{1, 1}),
            (std::vector<double>{11, 22}));
}

TEST(FeedForward, BiasesStandOutsideEachProjection) {
  FeedForwardWeights weights;
  weights.up = Matrix(1, 2, {2, 3});
  weights.up_bias = {-4};
  weights.down = Matrix(2, 1, {10, 20});
  weights.down_bias = {1, 2};
  const FeedForwardConfig config{.kind = FeedForwardKind::gelu, .width = 1, .bias = true};
  const std::vector<double> y = feed_forward(config, weights, std::vector<double>{1, 1});  // gelu(1)
  EXPECT_NEAR(y[0], 9.41344746068543, 1e-14);
  EXPECT_NEAR(y[1], 18.82689492137086, 1e-14);
}

TEST(FeedForward, CheckNamesTheWeight) {
  for (const FeedForwardKind kind :
       {FeedForwardKind::relu, FeedForwardKind::gelu, FeedForwardKind::gelu_tanh, FeedForwardKind::swiglu}) {
    const FeedForwardConfig config{.kind = kind, .width = 5, .bias = kind != FeedForwardKind::swiglu};
    FeedForwardWeights weights = FeedForwardWeights::random(config, 3, 1);
    EXPECT_NO_THROW(weights.check(config, 3));
    weights.down = Matrix(5, 3);
    try {
      weights.check(config, 3);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("feed_forward.down"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lacuna
