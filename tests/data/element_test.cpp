#include "data/trace/element.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace lacuna {
namespace {

float widened(ElementType type, std::uint16_t bits) {
  float value = 0;
  widen(type, reinterpret_cast<const std::byte*>(&bits), std::span(&value, 1));
  return value;
}

// IEEE 754-2019, binary16: value = (-1)^s 2^(e - 15) (1 + f / 1024), subnormal (-1)^s 2^-14 f / 1024.
TEST(Element, EveryF16HasItsValue) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const unsigned exponent = (bits >> 10) & 31;
    const double fraction = (bits & 1023) / 1024.0;
    const double sign = bits & 0x8000 ? -1 : 1;
    const float value = widened(ElementType::f16, static_cast<std::uint16_t>(bits));
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(value), fraction != 0) << bits;
      EXPECT_EQ(std::isinf(value), fraction == 0) << bits;
    } else {
      const double expected = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, int(exponent) - 15);
      ASSERT_EQ(value, sign * expected) << bits;
    }
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
  }
}

TEST(Element, Bf16IsTheUpperHalfOfF32) {
  for (const unsigned bits : {0x0000U, 0x8000U, 0x3F80U, 0xC049U, 0x0001U, 0x7F80U})
    EXPECT_EQ(std::bit_cast<std::uint32_t>(widened(ElementType::bf16, static_cast<std::uint16_t>(bits))), bits << 16);
}

TEST(Element, F64StaysAndF32WidensToDouble) {
  const std::vector<double> doubles{0.1, -1e300, 5e-324};
  std::vector<double> out(3);
  widen(ElementType::f64, reinterpret_cast<const std::byte*>(doubles.data()), out);
  EXPECT_EQ(out, doubles);
  const std::vector<float> floats{0.1F, -1e30F, 1e-45F};
  widen(ElementType::f32, reinterpret_cast<const std::byte*>(floats.data()), out);
  EXPECT_EQ(out, std::vector<double>(floats.begin(), floats.end()));
  std::vector<float> narrow(3);
  EXPECT_THROW(widen(ElementType::f64, reinterpret_cast<const std::byte*>(doubles.data()), narrow), InternalError);
}

TEST(Element, FirstNonFiniteValueIsFound) {
  for (const std::size_t size : {1, 2, 4095, 4096, 4097, 10000}) {
    std::vector<float> values(size, std::numeric_limits<float>::max());
    EXPECT_EQ(first_not_finite(values), -1);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      values.assign(size, -1);
      values.back() = bad;
      EXPECT_EQ(first_not_finite(values), static_cast<Index>(size - 1));
      values.front() = bad;
      EXPECT_EQ(first_not_finite(values), 0);
    }
    std::vector<double> doubles(size, std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(first_not_finite(doubles), -1);
    doubles[size / 2] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(first_not_finite(doubles), static_cast<Index>(size / 2));
  }
  EXPECT_EQ(first_not_finite(std::span<const double>()), -1);
}

TEST(FirstBeyond, FindsTheFirstOfAMagnitudeAboveTheLargestAllowed) {
  std::vector<double> values(5000, 1e100);
  EXPECT_EQ(first_beyond(values, 1e100), -1);
  values[4999] = std::nan("");
  EXPECT_EQ(first_beyond(values, 1e100), 4999);
  values[4097] = -1.0000001e100;
  EXPECT_EQ(first_beyond(values, 1e100), 4097);
  values[3] = HUGE_VAL;
  EXPECT_EQ(first_beyond(values, 1e100), 3);
  std::vector<float> narrow(9, std::numeric_limits<float>::max());
  EXPECT_EQ(first_beyond(narrow, 1e100), -1) << "no float is that large";
  EXPECT_EQ(first_beyond(narrow, 1e38), 0);
  narrow[5] = -HUGE_VALF;
  EXPECT_EQ(first_beyond(narrow, 1e100), 5);
}

}  // namespace
}  // namespace lacuna
