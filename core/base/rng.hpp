// Counter-based random numbers: a value is a pure function of (seed, purpose, index), so that no order of evaluation,
// number of threads or resume can change it.
//
// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011). The key is
// derived from seed and purpose; the 128-bit counter is the stream and the index within it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace lacuna {

/// Ten rounds of Philox-4x32. [4] counter, [2] key -> [4] random words.
inline std::array<std::uint32_t, 4> philox_4x32(std::array<std::uint32_t, 4> counter,
                                                std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = 0xD2511F53ULL * counter[0];
    const std::uint64_t product_1 = 0xCD9E8D57ULL * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

class CounterRng {
 public:
  /// `purpose` names what the numbers are for ("gaussian.k", "random.priority"); `stream` separates rows, heads,
  /// trials.
  CounterRng(std::uint64_t seed, std::string_view purpose, std::uint64_t stream = 0) : stream_(stream) {
    std::uint64_t hash = 0xCBF29CE484222325ULL ^ seed;  // FNV-1a over the purpose, then mixed with the seed
    for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    const auto mixed = philox_4x32({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0},
                                   {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32)});
    key_ = {mixed[0], mixed[1]};
  }

  std::array<std::uint32_t, 4> words(std::uint64_t index) const {
    return philox_4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                       key_);
  }
  /// Uniform in (0, 1), never 0 or 1.
  double uniform(std::uint64_t index) const {
    const auto w = words(index);
    return to_unit(w[0], w[1]);
  }
  /// Standard normal (Box-Muller); pairs share one counter.
  double normal(std::uint64_t index) const {
    const auto w = words(index / 2);
    const double radius = std::sqrt(-2 * std::log(to_unit(w[0], w[1])));
    const double angle = 2 * std::numbers::pi * to_unit(w[2], w[3]);
    return radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
  }

 private:
  static double to_unit(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32 | low) >> 12;  // 52 bits
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
  }

  std::array<std::uint32_t, 2> key_{};
  std::uint64_t stream_;
};

}  // namespace lacuna
