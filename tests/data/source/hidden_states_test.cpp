// Hidden states have the statistics that their parameters name.
//
// An average over N values of correlation rho_L at lag L deviates from its mean by about
// sqrt((1 + 2 sum_L rho_L^2) / N); the tolerances are five times that or more.
#include "data/source/hidden_states.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lacuna {
namespace {

constexpr HiddenStatesConfig kConfig{.d_model = 33, .topic_length = 8, .topic_share = 0.5, .layer_similarity = 0.9};
constexpr Index kTokens = 20000;

/// x [tokens, d_model]
std::vector<double> states_of(const HiddenStatesConfig& config, Index tokens, Index sequence = 0, Index layer = 0,
                              std::uint64_t seed = 7) {
  HiddenStates states(config, seed, sequence, layer);
  std::vector<double> x(tokens * config.d_model);
  for (Index t = 0; t < tokens; ++t) states.next(std::span(x).subspan(t * config.d_model, config.d_model));
  return x;
}

/// Mean of a_t b_(t + lag) over tokens and all channels but the constant one.
double mean_product(const std::vector<double>& a, const std::vector<double>& b, Index d_model, Index lag) {
  const Index tokens = static_cast<Index>(a.size()) / d_model - lag;
  double sum = 0;
  for (Index t = 0; t < tokens; ++t)
    for (Index c = 1; c < d_model; ++c) sum += a[t * d_model + c] * b[(t + lag) * d_model + c];
  return sum / static_cast<double>(tokens * (d_model - 1));
}

TEST(HiddenStates, HaveUnitMeanSquareAndAConstantChannel) {
  for (const double share : {0.0, 0.5, 1.0})
    for (const double similarity : {0.0, 0.9, 1.0}) {
      HiddenStatesConfig config = kConfig;
      config.topic_share = share;
      config.layer_similarity = similarity;
      const std::vector<double> x = states_of(config, kTokens);
      // N = 640000, rho_L at most exp(-L / 8): sqrt(2 (1 + 2 * 3.5) / N) = 0.005
      EXPECT_NEAR(mean_product(x, x, config.d_model, 0), 1, 0.025) << share << ' ' << similarity;
      for (Index t = 0; t < kTokens; ++t) ASSERT_EQ(x[t * config.d_model], 1);
    }
}

TEST(HiddenStates, OfNeighboursCorrelateAsTheTopicDecays) {
  for (const double share : {0.0, 0.5, 1.0}) {
    HiddenStatesConfig config = kConfig;
    config.topic_share = share;
    const std::vector<double> x = states_of(config, kTokens);
    for (const Index lag : {1, 2, 8, 24}) {
      const double expected = 0.9 * 0.9 * share * std::exp(-static_cast<double>(lag) / 8);
      EXPECT_NEAR(mean_product(x, x, config.d_model, lag), expected, 0.02) << share << ' ' << lag;
    }
  }
}

TEST(HiddenStates, OfTwoLayersCorrelateByTheSquareOfTheirSimilarity) {
  for (const double similarity : {0.0, 0.5, 0.9, 1.0}) {
    HiddenStatesConfig config = kConfig;
    config.layer_similarity = similarity;
    const std::vector<double> a = states_of(config, kTokens, 0, 3);
    const std::vector<double> b = states_of(config, kTokens, 0, 20);
    EXPECT_NEAR(mean_product(a, b, config.d_model, 0), similarity * similarity, 0.02);
  }
}

TEST(HiddenStates, OfTwoSequencesOrSeedsHaveNothingInCommon) {
  const std::vector<double> x = states_of(kConfig, kTokens);
  EXPECT_NEAR(mean_product(x, states_of(kConfig, kTokens, 1), kConfig.d_model, 0), 0, 0.02);
  EXPECT_NEAR(mean_product(x, states_of(kConfig, kTokens, 0, 0, 8), kConfig.d_model, 0), 0, 0.02);
}

TEST(HiddenStates, AreTheSameBitsAgain) {
  EXPECT_EQ(states_of(kConfig, 100, 2, 5), states_of(kConfig, 100, 2, 5));
  std::vector<double> longer = states_of(kConfig, 200, 2, 5);
  longer.resize(100 * kConfig.d_model);
  EXPECT_EQ(longer, states_of(kConfig, 100, 2, 5));
}

}  // namespace
}  // namespace lacuna
