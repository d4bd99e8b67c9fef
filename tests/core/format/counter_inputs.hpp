// Inputs that are a pure function of a counter, the same here and in golden/make_golden.py, and the hash under which
// large sets of answers are stored.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lacuna {

/// FNV-1a, 64 bits, over the little-endian bytes of what it is given.
class Fnv1a {
 public:
  template <class T>
  void add(T value) {
    for (const std::uint8_t byte : std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value))
      hash_ = (hash_ ^ byte) * 0x100000001B3ULL;
  }
  std::string hex() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_));
    return text;
  }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

/// The i-th output of splitmix64 seeded with 0.
inline std::uint64_t splitmix64(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// i % 4 == 0: any finite f32; 1, 2: exponents low .. high (f32 fields); 3: the same with few mantissa bits, often a
/// tie.
inline float element_input(std::uint64_t i, int mantissa_bits, unsigned low, unsigned high) {
  const std::uint64_t u = splitmix64(i);
  const auto bits = static_cast<std::uint32_t>(u >> 32);
  if (i % 4 == 0) return std::bit_cast<float>((bits >> 23 & 0xFF) == 0xFF ? bits & 0xBFFFFFFFU : bits);
  const auto field = static_cast<std::uint32_t>(low + (u & 0xFFFF) % (high - low + 1));
  const std::uint32_t ranged = (bits & 0x80000000U) | field << 23 | (bits & 0x7FFFFFU);
  return std::bit_cast<float>(i % 4 == 3 ? ranged & 0xFFFFFFFFU << (22 - mantissa_bits) : ranged);
}

/// Element j of block b: magnitudes within 2^8 of the block's own; see make_golden.py.
inline float ggml_input(std::uint64_t b, std::uint64_t j) {
  const std::uint64_t u = splitmix64(b * 32 + j);
  if ((u >> 8) % 16 == 0) return 0;
  const auto field = static_cast<std::uint32_t>(100 + splitmix64(b + (1ULL << 40)) % 40 - u % 8);
  const auto bits = static_cast<std::uint32_t>(u >> 32);
  const std::uint32_t sign = b % 3 == 1 ? 0 : bits & 0x80000000U;
  return std::bit_cast<float>(sign | field << 23 | (bits & (b % 3 == 2 ? 0x7C0000U : 0x7FFFFFU)));
}

/// Lines of a golden file, split at blanks.
inline std::vector<std::vector<std::string>> golden_lines(const std::string& name) {
  std::ifstream file(std::string(LACUNA_SOURCE_DIR) + "/tests/core/format/golden/" + name);
  if (!file) throw std::runtime_error("cannot open golden file " + name);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    lines.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  return lines;
}

}  // namespace lacuna
