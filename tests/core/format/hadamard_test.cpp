#include "core/format/hadamard.hpp"

#include <bit>

#include "core/base/rng.hpp"

namespace lacuna {
namespace {

std::vector<double> random_channels(Index width) {
  const CounterRng rng(20261129, "hadamard", width);
  std::vector<double> x(width);
  for (Index c = 0; c < width; ++c) x[c] = rng.normal(c);
  return x;
}

TEST(Hadamard, EqualsTheSylvesterMatrix) {
  for (const Index width : {1, 2, 4, 8, 64, 128, 1024}) {
    const std::vector<double> x = random_channels(width);
    std::vector<double> y = x;
    hadamard(y);
    for (Index i = 0; i < width; ++i) {
      double sum = 0;
      for (Index j = 0; j < width; ++j) sum += std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? x[j] : -x[j];
      EXPECT_NEAR(y[i], sum / std::sqrt(width), 1e-13) << width << " " << i;
    }
  }
}

TEST(Hadamard, IsItsOwnInverseAndKeepsDotProducts) {
  for (const Index width : {1, 2, 16, 128, 512}) {
    const std::vector<double> x = random_channels(width);
    std::vector<double> y = x;
    hadamard(y);
    double dot = 0, dot_rotated = 0;
    for (Index c = 0; c < width; ++c) dot += x[c] * x[c], dot_rotated += y[c] * y[c];
    EXPECT_NEAR(dot_rotated / dot, 1, 1e-14);
    hadamard(y);
    for (Index c = 0; c < width; ++c) EXPECT_NEAR(y[c], x[c], 1e-14) << width << " " << c;
  }
}

TEST(Hadamard, SpreadsAnOutlierEvenly) {
  std::vector<double> x(16, 0.0);
  x[5] = 4;
  hadamard(x);
  for (const double y : x) EXPECT_EQ(std::fabs(y), 1);
}

TEST(HadamardFaults, WidthThatIsNoPowerOfTwo) {
  for (const Index width : {-4, 0, 3, 61, 576}) {
    ASSERT_TRUE(check_hadamard(width)) << width;
    EXPECT_NE(check_hadamard(width)->find(std::to_string(width)), std::string::npos);
  }
  EXPECT_FALSE(check_hadamard(512));
}

}  // namespace
}  // namespace lacuna
