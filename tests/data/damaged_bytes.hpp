// Damage to a file's bytes, a function of a seeded generator, and what whoever reads the file made of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/rng.hpp"

namespace lacuna::damaged {

// Forking a process under a sanitizer takes 30 times as long: a sample of the places there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t stride = 16;
#else
inline constexpr std::size_t stride = 1;
#endif

enum class Outcome { clean, refused };

/// Of read(): numbers, or an InputError whose message begins with `place`. Anything else is the test's failure.
template <class Read>
Outcome outcome_of(const std::string& place, const Read& read) {
  try {
    read();
    return Outcome::clean;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find(place), 0U) << error.what();
    return Outcome::refused;
  }
}

/// Lengths to cut a file to: the longest, each of the first `dense`, and a hundred others.
inline std::vector<std::size_t> cut_lengths(std::size_t longest, std::size_t dense, const CounterRng& rng) {
  std::vector<std::size_t> lengths = {longest};
  for (std::size_t i = 0; i < std::min(dense, longest + 1); i += stride) lengths.push_back(i);
  for (std::uint64_t i = 0; i < 100; i += stride)
    lengths.push_back(static_cast<std::size_t>(rng.uniform(i) * static_cast<double>(longest + 1)));
  return lengths;
}

/// The i-th variant with one byte of the first `range` changed.
inline std::string with_changed_byte(std::string bytes, std::size_t range, const CounterRng& rng, std::uint64_t i) {
  const auto place = static_cast<std::size_t>(rng.uniform(2 * i) * static_cast<double>(std::min(range, bytes.size())));
  const auto bits = static_cast<unsigned char>(1 + rng.uniform(2 * i + 1) * 255);
  bytes[place] = static_cast<char>(bytes[place] ^ bits);
  return bytes;
}

/// The i-th variant with eight bytes of the first 4096 replaced by byte_of(x), x uniform in [0, 1).
template <class ByteOf>
std::string with_replaced_bytes(std::string bytes, const CounterRng& rng, std::uint64_t i, const ByteOf& byte_of) {
  const auto range = static_cast<double>(std::min<std::size_t>(bytes.size(), 4096));
  for (std::uint64_t flip = 0; flip < 8; ++flip) {
    const auto place = static_cast<std::size_t>(rng.uniform(16 * i + 2 * flip) * range);
    bytes[place] = static_cast<char>(byte_of(rng.uniform(16 * i + 2 * flip + 1)));
  }
  return bytes;
}

}  // namespace lacuna::damaged
