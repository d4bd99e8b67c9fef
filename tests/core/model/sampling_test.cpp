#include "core/model/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lacuna {
namespace {

TEST(Sampling, IsGreedyAtTemperatureZeroAndTakesTheLowestOfEquals) {
  const std::vector<double> logits = {-2, 5, 1, 5, 4};
  for (Index position = 0; position < 20; ++position) EXPECT_EQ(sample_token(logits, {}, position), 1);
  EXPECT_EQ(sample_token(std::vector<double>{-1e300}, {}, 0), 0);
}

TEST(Sampling, IsAFunctionOfSeedAndPosition) {
  const std::vector<double> logits(1000, 0.0);
  Index same_seed = 0, other_seed = 0, neighbours = 0;
  for (Index position = 0; position < 200; ++position) {
    const Index token = sample_token(logits, {.temperature = 1, .seed = 4}, position);
    same_seed += token == sample_token(logits, {.temperature = 1, .seed = 4}, position);
    other_seed += token == sample_token(logits, {.temperature = 1, .seed = 5}, position);
    neighbours += token == sample_token(logits, {.temperature = 1, .seed = 4}, position + 1);
  }
  EXPECT_EQ(same_seed, 200);
  EXPECT_LT(other_seed, 6);  // 0.2 expected
  EXPECT_LT(neighbours, 6);
}

TEST(Sampling, FollowsTheSoftmaxAtTheTemperature) {
  const std::vector<double> logits = {std::log(1.0), std::log(2.0), std::log(5.0), -std::numeric_limits<double>::max()};
  constexpr Index kDraws = 40000;
  for (const double temperature : {0.5, 1.0, 2.0}) {
    std::vector<double> p;
    double z = 0;
    for (const double weight : {1.0, 2.0, 5.0}) z += std::pow(weight, 1 / temperature);
    for (const double weight : {1.0, 2.0, 5.0, 0.0}) p.push_back(std::pow(weight, 1 / temperature) / z);
    std::vector<Index> count(4, 0);
    for (Index position = 0; position < kDraws; ++position)
      ++count[sample_token(logits, {.temperature = temperature, .seed = 9}, position)];
    EXPECT_EQ(count[3], 0);
    for (int i = 0; i < 3; ++i) {
      const double deviation = std::sqrt(kDraws * p[i] * (1 - p[i]));
      EXPECT_NEAR(static_cast<double>(count[i]), kDraws * p[i], 5 * deviation) << temperature;
    }
  }
}

TEST(Sampling, RefusesATemperatureBelowZeroAndScoresThatAreNotNumbers) {
  const std::vector<double> logits = {0, 1};
  EXPECT_THROW(sample_token(logits, {.temperature = -0.1}, 0), UsageError);
  EXPECT_THROW(sample_token(logits, {.temperature = std::nan("")}, 0), UsageError);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    EXPECT_THROW(sample_token(std::vector<double>{0, bad}, {}, 0), InputError);
}

}  // namespace
}  // namespace lacuna
