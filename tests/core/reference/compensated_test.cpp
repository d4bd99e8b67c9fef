#include "core/reference/compensated.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "support/wide.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// Entries of very different size.
double scattered(Random& random, double decades) {
  return random.normal() * std::exp2(std::floor(random.uniform(-decades, decades)));
}

/// A dot product that nearly cancels: the second half repeats the first with the sign turned, and a little besides.
template <class T>
void ill_conditioned(Random& random, Index n, std::vector<double>& x, std::vector<T>& y) {
  x.assign(n, 0.0);
  y.assign(n, T{0});
  for (Index i = 0; i < n / 2; ++i) {
    x[i] = scattered(random, 20);
    y[i] = static_cast<T>(scattered(random, 20));
    x[n - 1 - i] = -x[i] * (random.chance(0.8) ? 1 : 1 + 0x1p-50);
    y[n - 1 - i] = y[i];
  }
  if (n % 2 == 1) {
    x[n / 2] = random.normal();
    y[n / 2] = static_cast<T>(random.normal());
  }
}

Wide wide_gamma(Index n) {
  const Wide nu = Wide(n) * Wide(0x1p-53);
  return nu / (1 - nu);
}

template <class T>
double worst_dot_ratio(std::uint64_t seed) {
  Random random(seed);
  double worst = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Index n = random.integer(1, 70);
    std::vector<double> x;
    std::vector<T> y;
    ill_conditioned(random, n, x, y);
    Wide exact = 0;
    Wide absolute = 0;
    for (Index i = 0; i < n; ++i) {
      exact += Wide(x[i]) * Wide(y[i]);
      absolute += abs(Wide(Wide(x[i]) * Wide(y[i])));
    }
    const DotResult dot = dot2(x.data(), y.data(), n);
    const Wide g = wide_gamma(n);
    const Wide bound = Wide(0x1p-53) * abs(exact) + 3 * g * g * absolute;
    const Wide error = abs(Wide(Wide(dot.value) - exact));
    EXPECT_TRUE(error <= bound) << "seed " << seed << " trial " << trial << " n " << n;
    if (bound > 0) worst = std::max(worst, to_double(Wide(error / bound)));
    EXPECT_LE(relative_error(dot.absolute, absolute), 80 * 0x1p-53);
  }
  return worst;
}

TEST(Compensated, DotIsWithinItsBoundOnCancellingData) {
  const double worst = std::max(worst_dot_ratio<double>(1), worst_dot_ratio<float>(2));
  EXPECT_GT(worst, 0.05) << "the bound is never approached: too loose, or the data too easy";
  RecordProperty("worst_error_over_bound", std::to_string(worst));
}

TEST(Compensated, DotResolvesWhatPlainDoubleLoses) {
  // 1e16 * 1 + 1 * 1 - 1e16 * 1 = 1; plain double loses the 1 beside 1e16
  const std::vector<double> x = {1e16, 1, -1e16};
  const std::vector<double> y = {1, 1, 1};
  EXPECT_EQ(dot2(x.data(), y.data(), 3).value, 1);
  EXPECT_EQ(dot2(x.data(), y.data(), 3).absolute, 2e16);  // 2e16 + 1 is not a double: ties to even
  EXPECT_EQ(dot2(x.data(), y.data(), 0).value, 0);

  // (2^30 + 1)^2 - 2^60 - 2^31 = 1: the product itself needs more than 53 bits
  const double a = 0x1p30 + 1;
  const std::vector<double> p = {a, 0x1p30, 0x1p31};
  const std::vector<double> r = {a, -0x1p30, -1};
  EXPECT_EQ(dot2(p.data(), r.data(), 3).value, 1);
}

TEST(Compensated, DotOfLanesAndRestAgreeWithHandNumbers) {
  // 1 + 2 + ... + n for every n across the lanes of eight
  for (Index n = 0; n <= 40; ++n) {
    std::vector<double> x(n), ones(n, 1.0);
    for (Index i = 0; i < n; ++i) x[i] = static_cast<double>(i + 1);
    EXPECT_EQ(dot2(x.data(), ones.data(), n).value, static_cast<double>(n * (n + 1) / 2));
    EXPECT_EQ(dot2(x.data(), ones.data(), n).absolute, static_cast<double>(n * (n + 1) / 2));
  }
}

TEST(Compensated, SumIsWithinItsBoundOnCancellingData) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Random random(seed);
    const Index n = random.integer(1, 200);
    CompensatedSum sum;
    CompensatedSum parts[2];
    Wide exact = 0;
    Wide absolute = 0;
    std::vector<double> x(n);
    const bool cancels = random.chance(0.7);
    for (Index i = 0; i < n; ++i)
      x[i] = !cancels || i < n / 2 ? scattered(random, 40) : -x[n - 1 - i] * (1 + 0x1p-51 * (i % 3));
    for (Index i = 0; i < n; ++i) {
      sum.add(x[i]);
      parts[i % 2].add(x[i]);
      exact += Wide(x[i]);
      absolute += abs(Wide(x[i]));
    }
    parts[0].add(parts[1]);
    const Wide g = wide_gamma(n);
    const Wide bound = Wide(0x1p-53) * abs(exact) + 3 * g * g * absolute;
    for (const CompensatedSum& total : {sum, parts[0]}) {
      const Wide error = abs(Wide(Wide(total.value()) - exact));
      EXPECT_TRUE(error <= bound) << "seed " << seed << " n " << n;
      if (bound > 0) worst = std::max(worst, to_double(Wide(error / bound)));
    }
  }
  EXPECT_GT(worst, 0.05);
  RecordProperty("worst_error_over_bound", std::to_string(worst));
}

TEST(Compensated, SumKeepsTinyTermsBesideOne) {
  CompensatedSum sum;
  sum.add(1);
  for (int i = 0; i < 1000; ++i) sum.add(1e-20);
  sum.add(-1);
  EXPECT_NEAR(sum.value(), 1e-17, 1e-29);
}

TEST(Compensated, VectorIsTheDotOfWeightsAndChannels) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = random.integer(1, 60);
    const Index width = random.integer(1, 19);
    std::vector<double> weight(n);
    std::vector<float> rows(n * width);
    for (double& w : weight) w = std::exp(random.uniform(-40, 0));
    for (float& x : rows) x = static_cast<float>(scattered(random, 10));
    CompensatedVector sum(width), first(width), second(width);
    for (Index j = 0; j < n; ++j) {
      sum.add(weight[j], rows.data() + j * width);
      (j < n / 3 ? first : second).add(weight[j], rows.data() + j * width);
    }
    first.add(second);
    const std::vector<double> whole = sum.divided_by(1);
    const std::vector<double> merged = first.divided_by(1);
    const Wide g = wide_gamma(n);
    for (Index c = 0; c < width; ++c) {
      Wide exact = 0;
      Wide absolute = 0;
      for (Index j = 0; j < n; ++j) {
        exact += Wide(weight[j]) * Wide(rows[j * width + c]);
        absolute += abs(Wide(Wide(weight[j]) * Wide(rows[j * width + c])));
      }
      const Wide bound = Wide(0x1p-53) * abs(exact) + 3 * g * g * absolute;
      EXPECT_TRUE(abs(Wide(Wide(whole[c]) - exact)) <= bound) << "trial " << trial << " channel " << c;
      EXPECT_TRUE(abs(Wide(Wide(merged[c]) - exact)) <= bound) << "trial " << trial << " channel " << c;
    }
  }
}

TEST(Compensated, EmptyVectorOverNothingIsZeroNotNan) {
  EXPECT_EQ(CompensatedVector(3).divided_by(0), (std::vector<double>{0, 0, 0}));
}

TEST(Compensated, DistancesAgreeWithHandNumbers) {
  EXPECT_EQ(norm({3, 4}), 5);
  EXPECT_EQ(distance(std::vector<double>{1, 1}, std::vector<double>{4, 5}), 5);
  // nine channels pass the eight lanes and the rest: 9 * 2^2 = 36
  const std::vector<float> row(9, 5.0F);
  const std::vector<double> y(9, 3.0);
  EXPECT_EQ(distance(row.data(), y.data(), 9), 6);
}

TEST(Compensated, GammaIsSlightlyAboveItsCountOfRoundings) {
  EXPECT_EQ(gamma(0), 0);
  EXPECT_GT(gamma(1), 0x1p-53);
  EXPECT_NEAR(gamma(1000), 1000 * 0x1p-53, 1e-25);
}

}  // namespace
}  // namespace lacuna
