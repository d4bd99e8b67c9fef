// q8_0, q4_0 and q4_1 against gguf.quants: stored bytes and decoded f32 values, bit for bit.
#include <map>

#include "core/format/counter_inputs.hpp"
#include "core/format/every_format.hpp"

namespace lacuna {
namespace {

/// [blocks, 32] as one row of as many blocks: bytes and decoded values as hex, or as hashes.
struct Answer {
  std::string bytes, values;
  bool operator==(const Answer&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Answer& a) { return out << a.bytes << " " << a.values; }

template <class T>
std::string hex(const T* data, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count * sizeof(T); ++i)
    text += fmt::format("{:02x}", reinterpret_cast<const unsigned char*>(data)[i]);
  return text;
}

std::vector<float> decoded_f32(const EncodedGroup& group) {
  std::vector<float> values;
  for (const double x : group.decoded()) {
    EXPECT_EQ(static_cast<double>(static_cast<float>(x)), x);
    values.push_back(static_cast<float>(x));
  }
  return values;
}

TEST(GgmlGolden, AMillionCounterInputsEqualGguf) {
  std::map<std::string, Answer> golden;
  for (const auto& line : golden_lines("ggml.golden")) {
    if (line[0] == "bytes_hash") golden[line[1]].bytes = line[2];
    if (line[0] == "values_hash") golden[line[1]].values = line[2];
  }
  ASSERT_EQ(golden.size(), 3U);
  for (const auto& [name, expected] : golden) {
    Fnv1a bytes, values;
    for (std::uint64_t b = 0; b < 31'250; ++b) {
      std::vector<double> x(32);
      for (std::uint64_t j = 0; j < 32; ++j) x[j] = ggml_input(b, j);
      const EncodedGroup group(name, {.width = 32}, x);
      for (const std::byte byte : group.stored) bytes.add(byte);
      for (const float value : decoded_f32(group)) values.add(value);
    }
    EXPECT_EQ((Answer{bytes.hex(), values.hex()}), expected) << name;
  }
}

TEST(GgmlGolden, CasesWrittenOutEqualGguf) {
  std::map<std::string, std::vector<double>> inputs;
  int cases = 0;
  for (const auto& line : golden_lines("ggml.golden")) {
    if (line[0] == "input") {
      for (int j = 0; j < 32; ++j) {  // eight hex digits of a little-endian f32
        const auto bits = static_cast<std::uint32_t>(std::stoul(line[2].substr(8 * j, 8), nullptr, 16));
        inputs[line[1]].push_back(std::bit_cast<float>(__builtin_bswap32(bits)));
      }
    } else if (line[0] == "block") {
      const EncodedGroup group(line[1], {.width = 32}, inputs.at(line[2]));
      const auto values = decoded_f32(group);
      EXPECT_EQ((Answer{hex(group.stored.data(), group.stored.size()), hex(values.data(), values.size())}),
                (Answer{line[3], line[4]}))
          << line[1] << " " << line[2];
      ++cases;
    }
  }
  EXPECT_EQ(cases, 39);
}

}  // namespace
}  // namespace lacuna
