// Element codecs against ml_dtypes and numpy: every code, every boundary between codes, 10^6 counter inputs.
#include <algorithm>
#include <map>

#include "core/format/counter_inputs.hpp"
#include "core/format/every_element.hpp"

namespace lacuna {
namespace {

std::uint32_t f32_bits(double value) {
  return std::isnan(value) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// To where ml_dtypes has an answer and rounds it to nearest; see make_golden.py.
float clamped(const AnyElement& element, float x) {
  const auto largest = static_cast<float>(element.max);
  if (element.name == "e8m0") return std::fabs(x) < 0x1p-126F ? 0x1p-127F : std::min(std::fabs(x), largest);
  return std::clamp(x, -largest, largest);
}

void add_code(Fnv1a& hash, const AnyElement& element, float x) {
  const unsigned code = element.encode(clamped(element, x));
  if (element.bits == 16)
    hash.add(static_cast<std::uint16_t>(code));
  else
    hash.add(static_cast<std::uint8_t>(code));
}

/// "decode_hash", "boundary_hash" and "encode_hash" of one element, as make_golden.py computes them.
std::map<std::string, std::string> hashes(const AnyElement& element) {
  Fnv1a decode, boundary, encode;
  std::vector<float> values;
  for (unsigned code = 0; code < element.codes(); ++code) {
    const double value = element.decode(code);
    decode.add(f32_bits(value));
    if (std::isfinite(value) && !std::signbit(value)) values.push_back(static_cast<float>(value));
  }
  for (const float sign : {1.0F, -1.0F}) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double next = values[std::min(i + 1, values.size() - 1)];
      for (const float v : {values[i], static_cast<float>((values[i] + next) / 2)})
        for (const float x : {std::nextafter(v, -INFINITY), v, std::nextafter(v, INFINITY)})
          add_code(boundary, element, sign * x);
    }
  }
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    add_code(encode, element, element_input(i, element.mantissa_bits, element.low, element.high));
  return {{"decode_hash", decode.hex()}, {"boundary_hash", boundary.hex()}, {"encode_hash", encode.hex()}};
}

TEST(ElementGolden, EveryCodeBoundaryAndAMillionInputsEqualMlDtypes) {
  std::map<std::string, std::map<std::string, std::string>> golden;
  for (const auto& line : golden_lines("elements.golden"))
    if (line[0].ends_with("_hash")) golden[line[1]][line[0]] = line[2];
  ASSERT_EQ(golden.size(), every_element().size());
  for (const AnyElement& element : every_element()) EXPECT_EQ(hashes(element), golden[element.name]) << element.name;
}

TEST(ElementGolden, CasesWrittenOutEqualMlDtypes) {
  std::map<std::string, AnyElement> elements;
  for (const AnyElement& element : every_element()) elements[element.name] = element;
  int cases = 0;
  for (const auto& line : golden_lines("elements.golden")) {
    const AnyElement& element = elements.at(line[1]);
    const auto number = [&](int word) { return static_cast<std::uint32_t>(std::stoul(line[word], nullptr, 16)); };
    if (line[0] == "decode") {
      EXPECT_EQ(f32_bits(element.decode(number(2))), number(3)) << line[1] << " code " << line[2];
    } else if (line[0] == "encode") {
      EXPECT_EQ(element.encode(std::bit_cast<float>(number(2))), number(3)) << line[1] << " f32 " << line[2];
    } else {
      continue;
    }
    ++cases;
  }
  EXPECT_GT(cases, 800);
}

}  // namespace
}  // namespace lacuna
