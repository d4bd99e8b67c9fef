#include <bit>
#include <limits>
#include <map>

#include "core/format/counter_inputs.hpp"
#include "core/format/element/f32.hpp"
#include "core/format/every_element.hpp"

namespace lacuna {
namespace {

TEST(Element, EveryCodeRoundTrips) {
  for (const AnyElement& element : every_element()) {
    for (unsigned code = 0; code < element.codes(); ++code) {
      const double value = element.decode(code);
      if (!std::isfinite(value)) continue;
      EXPECT_EQ(element.encode(value), code) << element.name << " " << value;
    }
  }
}

TEST(Element, NonFiniteCodesAreThoseOfTheFormat) {
  const auto count = [](const AnyElement& element, auto&& is) {
    int n = 0;
    for (unsigned code = 0; code < element.codes(); ++code) n += is(element.decode(code));
    return n;
  };
  const std::map<std::string, std::pair<int, int>> nan_and_infinity = {
      {"e2m1", {0, 0}}, {"e4m3", {2, 0}}, {"e5m2", {6, 2}}, {"e8m0", {1, 0}}, {"bf16", {254, 2}}, {"f16", {2046, 2}}};
  for (const AnyElement& element : every_element()) {
    EXPECT_EQ(count(element, [](double x) { return std::isnan(x); }), nan_and_infinity.at(element.name).first);
    EXPECT_EQ(count(element, [](double x) { return std::isinf(x); }), nan_and_infinity.at(element.name).second);
  }
}

TEST(Element, E2m1TiesGoToTheEvenCode) {
  const std::vector<std::pair<double, double>> ties = {{.25, 0}, {.75, 1}, {1.25, 1}, {1.75, 2},
                                                       {2.5, 2}, {3.5, 4}, {5, 4}};
  for (const auto& [x, expected] : ties) {
    EXPECT_EQ(E2m1::decode(E2m1::encode(x)), expected) << x;
    EXPECT_EQ(E2m1::decode(E2m1::encode(-x)), -expected) << x;
    EXPECT_GT(E2m1::decode(E2m1::encode(std::nextafter(x, 9))), x) << x;
    EXPECT_LT(E2m1::decode(E2m1::encode(std::nextafter(x, 0))), x) << x;
  }
  EXPECT_EQ(E2m1::encode(-0.0), 8);
}

TEST(Element, OverflowSaturates) {
  for (const AnyElement& element : every_element()) {
    for (const double x : {std::nextafter(element.max, INFINITY), 1e300, double(INFINITY)})
      EXPECT_EQ(element.decode(element.encode(x)), element.max) << element.name << " " << x;
    if (element.name == "e8m0") continue;
    EXPECT_EQ(element.decode(element.encode(-1e300)), -element.max) << element.name;
  }
  for (const double x : {0.0, -0.0, -1.0, double(NAN)}) EXPECT_EQ(E8m0::encode(x), 0xFF) << x;
}

TEST(Element, ADoubleIsRoundedOnce) {
  // 1 + 2^-11 + 2^-40 lies above the middle of 1 and 1 + 2^-10; rounded to f32 first it would be the middle, and go to
  // 1
  EXPECT_EQ(F16::decode(F16::encode(1 + 0x1p-11 + 0x1p-40)), 1 + 0x1p-10);
  EXPECT_EQ(F16::decode(F16::encode(1 + 0x1p-11)), 1);
  EXPECT_EQ(Bf16::decode(Bf16::encode(1 + 0x1p-8 + 0x1p-40)), 1 + 0x1p-7);
  EXPECT_EQ(F16::decode(F16::encode(5e-324)), 0);
}

TEST(Element, HalfStepCoversWhatRoundsToTheCode) {
  const auto check = [](auto element) {
    using Element = decltype(element);
    double widest = 0;
    for (unsigned code = 0; code < (1U << (Element::bits - 1)); ++code) {
      const double value = Element::decode(static_cast<typename Element::Code>(code));
      const double next = Element::decode(static_cast<typename Element::Code>(code + 1));
      if (!std::isfinite(next) || next < value) break;
      const double middle = (value + next) / 2;  // rounds to one of the two
      const auto half = Element::half_step(static_cast<typename Element::Code>(code));
      EXPECT_LE(middle - value, half);
      EXPECT_LE(next - middle, Element::half_step(static_cast<typename Element::Code>(code + 1)));
      widest = std::max(widest, (middle - value) / half);
    }
    EXPECT_EQ(widest, 1);
  };
  check(E2m1{}), check(E4m3{}), check(E5m2{}), check(Bf16{}), check(F16{});
}

// f32 has too many codes to try all: a million finite ones, and a million doubles between them, against the processor's
// own conversion.
TEST(ElementF32, EncodesAndDecodesAsTheProcessorConverts) {
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const float value = element_input(i, 23, 0, 254);
    const auto code = std::bit_cast<std::uint32_t>(value);
    ASSERT_EQ(F32::encode(value), code) << value;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(F32::decode(code)), std::bit_cast<std::uint64_t>(double{value})) << value;
    const double beside = value * (1 + std::ldexp(static_cast<double>(splitmix64(~i) % 4096), -36));
    if (std::fabs(beside) > F32::max) continue;
    ASSERT_EQ(F32::encode(beside), std::bit_cast<std::uint32_t>(static_cast<float>(beside))) << beside;
  }
}

TEST(ElementF32, TiesGoToTheEvenCode) {
  EXPECT_EQ(F32::decode(F32::encode(1 + 0x1p-24)), 1);
  EXPECT_EQ(F32::decode(F32::encode(1 + 3 * 0x1p-24)), 1 + 0x1p-22);
  EXPECT_EQ(F32::decode(F32::encode(1 + 0x1p-24 + 0x1p-52)), 1 + 0x1p-23);
  EXPECT_EQ(F32::decode(F32::encode(0x1p-150)), 0);
  EXPECT_EQ(F32::decode(F32::encode(3 * 0x1p-150)), 0x1p-148);
  EXPECT_EQ(F32::encode(-0.0), 0x80000000U);
}

TEST(ElementF32, OverflowSaturates) {
  for (const double x : {std::nextafter(F32::max, INFINITY), 1e300, double(INFINITY)}) {
    EXPECT_EQ(F32::decode(F32::encode(x)), F32::max);
    EXPECT_EQ(F32::decode(F32::encode(-x)), -F32::max);
  }
  EXPECT_TRUE(std::isnan(F32::decode(F32::encode(NAN))));
}

TEST(ElementF32, HalfStepIsHalfTheGapToTheLargerNeighbour) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint32_t code = std::bit_cast<std::uint32_t>(element_input(i, 23, 0, 254)) & 0x7FFFFFFFU;
    if (code + 1 == 0x7F800000U) continue;
    ASSERT_EQ(F32::half_step(code), (F32::decode(code + 1) - F32::decode(code)) / 2) << code;
  }
}

}  // namespace
}  // namespace lacuna
