#include <limits>
#include <map>

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

}  // namespace
}  // namespace lacuna
