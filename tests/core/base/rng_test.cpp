#include "core/base/rng.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers of the Random123 library, file kat_vectors, philox4x32 with 10 rounds.
TEST(PhiloxGolden, MatchesRandom123) {
  EXPECT_EQ(philox_4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRng, SeedPurposeAndStreamEachChangeTheNumbers) {
  const double base = CounterRng(1, "a", 0).uniform(5);
  EXPECT_EQ(base, CounterRng(1, "a", 0).uniform(5));
  EXPECT_NE(base, CounterRng(2, "a", 0).uniform(5));
  EXPECT_NE(base, CounterRng(1, "b", 0).uniform(5));
  EXPECT_NE(base, CounterRng(1, "a", 1).uniform(5));
  EXPECT_NE(base, CounterRng(1, "a", 0).uniform(6));
}

TEST(CounterRng, UniformAndNormalHaveTheirMoments) {
  const CounterRng rng(3, "moments");
  const int n = 200000;
  double mean = 0, square = 0, normal_mean = 0, normal_square = 0, neighbours = 0;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform(i);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    const double x = rng.normal(i);
    mean += u / n;
    square += u * u / n;
    normal_mean += x / n;
    normal_square += x * x / n;
    neighbours += x * rng.normal(i + 1) / n;
  }
  const double five_sigma = 5 / std::sqrt(n);
  EXPECT_NEAR(mean, 0.5, five_sigma * std::sqrt(1.0 / 12));
  EXPECT_NEAR(square, 1.0 / 3, five_sigma * std::sqrt(4.0 / 45));
  EXPECT_NEAR(normal_mean, 0, five_sigma);
  EXPECT_NEAR(normal_square, 1, five_sigma * std::sqrt(2.0));
  EXPECT_NEAR(neighbours, 0, five_sigma);
}

}  // namespace
}  // namespace lacuna
