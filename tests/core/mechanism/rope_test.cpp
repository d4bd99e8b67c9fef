// Rotary position embedding: hand numbers, its group properties, and the frequencies that published models use.
#include "core/mechanism/rope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "support/random.hpp"

namespace lacuna {
namespace {

using testing_core::Random;

constexpr double kPi = std::numbers::pi;

std::vector<double> normals(Random& random, Index n) {
  std::vector<double> x(n);
  for (double& c : x) c = random.normal();
  return x;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

std::vector<double> rotated(const Rope& rope, std::vector<double> x, Index position) {
  rope.rotate(x, position);
  return x;
}

void expect_close(const std::vector<double>& x, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t c = 0; c < x.size(); ++c)
    EXPECT_TRUE(std::abs(x[c] - expected[c]) <= tolerance) << "channel " << c << ": " << x[c] << ", " << expected[c];
}

/// Every kind, over odd numbers of pairs as well.
std::vector<RopeParameters> kinds() {
  std::vector<RopeParameters> all;
  for (const Index channels : {2, 4, 6, 10, 14, 64})
    for (const double base : {2.0, 1e4, 160000.0})
      for (const auto pairs : {RopePairs::interleaved, RopePairs::half_split})
        for (const auto spacing : {RopeSpacing::standard, RopeSpacing::endpoint_inclusive})
          for (const bool yarn : {false, true})
            all.push_back({channels, base, pairs, spacing, yarn ? std::optional(Yarn{.factor = 16}) : std::nullopt});
  return all;
}

TEST(Rope, TurnsPairsByHandNumbers) {
  // base 4, two pairs: frequencies 1 and 1/2; position 1 turns them by 1 and 1/2 radian
  const double c1 = 0.5403023058681398, s1 = 0.8414709848078965, c2 = 0.8775825618903728, s2 = 0.479425538604203;
  const Rope interleaved({.channels = 4, .base = 4});
  expect_close(interleaved.frequencies(), {1, 0.5}, 1e-16);
  expect_close(rotated(interleaved, {1, 0, 0, 1}, 1), {c1, s1, -s2, c2}, 1e-15);
  const Rope half_split({.channels = 4, .base = 4, .pairs = RopePairs::half_split});
  expect_close(rotated(half_split, {1, 0, 0, 1}, 1), {c1, -s2, s1, c2}, 1e-15);
  expect_close(rotated(interleaved, {1, 0, 0, 1}, 2), {c1 * c1 - s1 * s1, 2 * s1 * c1, -s1, c1}, 1e-15);
}

TEST(Rope, PositionZeroChangesNothing) {
  Random random(5);
  for (const RopeParameters& kind : kinds()) {
    const std::vector<double> x = normals(random, kind.channels);
    EXPECT_EQ(rotated(Rope(kind), x, 0), x);
  }
}

TEST(Rope, RotatingBackGivesTheVector) {
  Random random(6);
  for (const RopeParameters& kind : kinds()) {
    const Rope rope(kind);
    const std::vector<double> x = normals(random, kind.channels);
    const Index position = random.integer(1, 1 << 20);
    const std::vector<double> there = rotated(rope, x, position);
    EXPECT_GT(std::abs(there[0] - x[0]) + std::abs(there[1] - x[1]), 1e-9);
    expect_close(rotated(rope, there, -position), x, 1e-14);
    EXPECT_NEAR(dot(there, there), dot(x, x), 1e-12 * dot(x, x));
  }
}

TEST(Rope, ProductsDependOnTheDifferenceOfPositionsOnly) {
  Random random(7);
  for (const RopeParameters& kind : kinds()) {
    const Rope rope(kind);
    const std::vector<double> q = normals(random, kind.channels), k = normals(random, kind.channels);
    const Index lag = random.integer(0, 500);
    const double size = std::sqrt(dot(q, q) * dot(k, k));
    const double product = dot(rotated(rope, q, lag), k);
    for (const Index shift : {1, 17, 4095, 100000})  // angles are rounded by 2^-53 of themselves
      EXPECT_NEAR(dot(rotated(rope, q, shift + lag), rotated(rope, k, shift)), product, 1e-10 * size);
    EXPECT_GT(std::abs(dot(rotated(rope, q, lag + 1), k) - product), 1e-12 * size);
  }
}

TEST(Rope, HalfSplitIsInterleavedWithItsChannelsPermuted) {
  Random random(8);
  for (const Index channels : {2, 6, 10, 64}) {
    const Rope interleaved({.channels = channels});
    const Rope half_split({.channels = channels, .pairs = RopePairs::half_split});
    const std::vector<double> x = normals(random, channels);
    std::vector<double> permuted(channels);
    for (Index i = 0; i < channels / 2; ++i) {
      permuted[i] = x[2 * i];
      permuted[i + channels / 2] = x[2 * i + 1];
    }
    const std::vector<double> a = rotated(interleaved, x, 1234), b = rotated(half_split, permuted, 1234);
    for (Index i = 0; i < channels / 2; ++i) {
      EXPECT_EQ(b[i], a[2 * i]);
      EXPECT_EQ(b[i + channels / 2], a[2 * i + 1]);
    }
  }
}

TEST(Rope, StandardFrequenciesFallGeometricallyAndStopBeforeOneOverTheBase) {
  const Rope rope({.channels = 64, .base = 1e4});
  const std::vector<double>& f = rope.frequencies();
  ASSERT_EQ(f.size(), 32U);
  EXPECT_EQ(f[0], 1);
  EXPECT_NEAR(f[8], 0.1, 1e-16);
  EXPECT_NEAR(f[16], 0.01, 1e-17);
  EXPECT_NEAR(f[31], std::exp(-31.0 / 32 * std::log(1e4)), 1e-18);
  EXPECT_GT(f[31], 1e-4 * 1.3);
}

TEST(Rope, EndpointInclusiveFrequenciesEndAtOneOverTheBase) {
  for (const Index channels : {4, 6, 64, 126}) {
    const Rope rope({.channels = channels, .base = 1e4, .spacing = RopeSpacing::endpoint_inclusive});
    EXPECT_EQ(rope.frequencies().front(), 1);
    EXPECT_NEAR(rope.frequencies().back(), 1e-4, 1e-18);
    for (std::size_t i = 1; i < rope.frequencies().size(); ++i)  // constant ratio
      EXPECT_NEAR(rope.frequencies()[i] / rope.frequencies()[i - 1], std::pow(1e-4, 1.0 / (channels / 2 - 1)), 1e-14);
  }
  EXPECT_EQ(Rope({.channels = 2, .spacing = RopeSpacing::endpoint_inclusive}).frequencies(), std::vector<double>({1}));
}

/// Pairs up to `low` are kept, pairs from `high` on are divided, those between lie on the straight ramp.
void expect_ramp(const RopeParameters& parameters, Index low, Index high) {
  RopeParameters plain = parameters;
  plain.yarn.reset();
  const std::vector<double> f = Rope(parameters).frequencies(), unstretched = Rope(plain).frequencies();
  const double factor = parameters.yarn->factor;
  EXPECT_LT(high, static_cast<Index>(f.size()));
  for (Index i = 0; i < static_cast<Index>(f.size()); ++i) {
    const double ratio = f[i] / unstretched[i];
    const double stretched = std::clamp(static_cast<double>(i - low) / static_cast<double>(high - low), 0.0, 1.0);
    EXPECT_NEAR(ratio, 1 - stretched * (1 - 1 / factor), 1e-14) << i;
  }
}

TEST(Yarn, OfDeepSeekV3RampsFromPair10ToPair23) {
  expect_ramp({.channels = 64, .base = 1e4, .yarn = Yarn{.factor = 40, .original_context = 4096}}, 10, 23);
}

TEST(Yarn, OfDeepSeekV4RampsFromPair15ToPair25) {
  expect_ramp({.channels = 64, .base = 160000, .yarn = Yarn{.factor = 16, .original_context = 65536}}, 15, 25);
}

TEST(Yarn, KeepsPairsThatTurnOftenAndStretchesThoseThatTurnLessThanOnce) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    const Yarn yarn{.factor = random.uniform(1.5, 64), .original_context = std::exp2(random.uniform(9, 17))};
    const RopeParameters parameters{.channels = 2 * random.integer(1, 70), .base = std::pow(10, random.uniform(2, 6))};
    RopeParameters stretched = parameters;
    stretched.yarn = yarn;
    const std::vector<double> f = Rope(parameters).frequencies(), g = Rope(stretched).frequencies();
    const double step = f.size() > 1 ? f[0] / f[1] : 1;  // a turn count per pair; floor and ceil move by one pair
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double turns = yarn.original_context * f[i] / (2 * kPi);
      if (turns > yarn.beta_fast * step) {
        EXPECT_EQ(g[i], f[i]);
      }
      if (turns < yarn.beta_slow / step) {
        EXPECT_NEAR(g[i], f[i] / yarn.factor, 1e-14 * f[i]);
      }
      EXPECT_LE(g[i], f[i] * (1 + 1e-15));
      EXPECT_GE(g[i], f[i] / yarn.factor * (1 - 1e-15));
    }
  }
}

TEST(Yarn, OfFactorOneIsNoYarn) {
  const RopeParameters plain{.channels = 64};
  RopeParameters stretched = plain;
  stretched.yarn = Yarn{.factor = 1};
  expect_close(Rope(stretched).frequencies(), Rope(plain).frequencies(), 1e-16);
}

TEST(Rope, RefusesAVectorOfAnotherSize) {
  std::vector<double> x(6, 1.0);
  EXPECT_THROW(Rope({.channels = 4}).rotate(x, 1), InternalError);
  EXPECT_THROW(Rope({.channels = 5}), InternalError);
}

}  // namespace
}  // namespace lacuna
