// |x - decoded| <= error_bound for every element of every format, and how tight the bound is.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/format/every_format.hpp"

namespace lacuna {
namespace {

/// What a format's bound did over many groups of rows.
struct Verdict {
  Index elements = 0;
  Index violations = 0;      ///< !(error <= bound), with block_amax or without
  Index unbounded = 0;       ///< bound without block_amax is infinite
  Index not_finite = 0;      ///< decoded value, or bound with block_amax
  double largest_ratio = 0;  ///< of error to bound
  double sum_error = 0, sum_bound = 0;

  /// Returns the group's decoded values.
  std::vector<double> add(const std::string& name, const RowShape& shape, const std::vector<double>& x) {
    const EncodedGroup group(name, shape, x);
    const std::vector<double> decoded = group.decoded();
    const std::vector<double> from_bytes = group.bound(false);
    const std::vector<double> bound = group.bound(true);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = std::fabs(x[i] - decoded[i]);
      ++elements;
      violations += !(error <= bound[i]) || !(error <= from_bytes[i]) || !(bound[i] <= from_bytes[i]);
      unbounded += std::isinf(from_bytes[i]);
      not_finite += !std::isfinite(decoded[i]) || !std::isfinite(bound[i]);
      if (bound[i] > 0) largest_ratio = std::max(largest_ratio, error / bound[i]);
      sum_error += error, sum_bound += bound[i];
    }
    return decoded;
  }
};

/// The decoded values moved by almost a bound: inputs at the edges of what rounds to a code.
std::vector<double> edges(const std::string& name, const RowShape& shape, const std::vector<double>& x,
                          std::uint64_t seed) {
  const EncodedGroup group(name, shape, x);
  const CounterRng rng(seed, "format.edges");
  std::vector<double> moved = group.decoded();
  const std::vector<double> bound = group.bound(true);
  for (std::size_t i = 0; i < moved.size(); ++i)
    moved[i] += bound[i] * (rng.uniform(2 * i) < 0.5 ? -1 : 1) * (1 + 1e-7 * (rng.uniform(2 * i + 1) - 0.5));
  return moved;
}

class EveryFormatBounds : public testing::TestWithParam<std::string> {
 protected:
  const FormatKind& kind() const { return FormatRegistry::instance().at(GetParam()); }
};

TEST_P(EveryFormatBounds, HoldOverAMillionElements) {
  Verdict verdict;
  for (std::uint64_t seed = 0; verdict.elements < 1'000'000; ++seed) {
    for (const RowShape& shape : shapes_of(kind())) {
      for (const RowSource& source : row_sources()) {
        const double scale = std::exp2(12 * CounterRng(seed, "format.scale").uniform(0) - 8);
        const auto x = make_rows(source, kind().rows_per_group * shape.width, seed, scale);
        verdict.add(GetParam(), shape, x);
        verdict.add(GetParam(), shape, edges(GetParam(), shape, x, seed));
      }
    }
  }
  EXPECT_EQ(verdict.violations, 0);
  EXPECT_EQ(verdict.not_finite, 0);
  if (GetParam() == "exact") {
    EXPECT_EQ(verdict.sum_error, 0);
  } else {
    EXPECT_LE(verdict.largest_ratio, 1);
    EXPECT_GE(verdict.largest_ratio, 0.99);
  }
}

TEST_P(EveryFormatBounds, HoldAtExtremeMagnitudes) {
  Verdict verdict;
  for (const double scale :
       {0.0,     -0.0,    5e-324,  1e-310,         0x1p-149, 0x1p-140, 0x1p-133, 0x1p-127, 0x1p-100,
        0x1p-40, 0x1p-24, 0x1p-14, 1e-4,           447.0,    2688.0,   65504.0,  65520.0,  1e6,
        0x1p40,  0x1p115, 0x1p127, 0x1.FFFFFEp127, 1e39,     1e60,     1e300}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      for (const RowShape& shape : shapes_of(kind())) {
        for (const RowSource& source : row_sources())
          verdict.add(GetParam(), shape, make_rows(source, kind().rows_per_group * shape.width, seed, scale));
      }
    }
  }
  EXPECT_EQ(verdict.violations, 0);
  EXPECT_EQ(verdict.not_finite, 0);
}

TEST_P(EveryFormatBounds, AreKnownFromTheBytesAloneInTheRangeOfCaches) {
  Verdict verdict;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const RowSource& source : {row_sources()[0], row_sources()[2], row_sources()[3], row_sources()[4]})
      verdict.add(GetParam(), {.width = 128}, make_rows(source, kind().rows_per_group * 128, seed, 10));
  EXPECT_EQ(verdict.unbounded, 0);
}

/// Mean error over mean bound of Gaussian rows. A uniform error under the bound has 0.5; a bound that forgets something
/// or became too loose leaves the interval.
TEST_P(EveryFormatBounds, TightnessIsTwoSided) {
  if (GetParam() == "exact") return;
  Verdict verdict;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    verdict.add(GetParam(), {.width = 128}, make_rows(gaussian_rows(), kind().rows_per_group * 128, seed, 1));
  const std::map<std::string, double> expected = {{"f32", .502},
                                                  {"f16", .502},
                                                  {"bf16", .501},
                                                  {"fp8_e4m3_f32_128", .475},
                                                  {"fp8_e4m3_ue8m0_64", .483},
                                                  {"mxfp8", .476},
                                                  {"mxfp4", .424},
                                                  {"fp8_e4m3_ue8m0_32", .483},
                                                  {"fp4_ue8m0_32", .451},
                                                  {"nvfp4", .410},
                                                  {"fp4_e4m3_16", .413},
                                                  {"int8_token", .495},
                                                  {"int4_channel", .469},
                                                  {"q8_0", .471},
                                                  {"q4_0", .478},
                                                  {"q4_1", .464},
                                                  {"int8_channel", .473}};
  EXPECT_NEAR(verdict.sum_error / verdict.sum_bound, expected.at(GetParam()), 0.01);
  EXPECT_GE(verdict.largest_ratio, 0.99);
  EXPECT_LE(verdict.largest_ratio, 1);
}

INSTANTIATE_TEST_SUITE_P(Every, EveryFormatBounds, testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace lacuna
