// Arithmetic that all small floating-point elements share. A finite magnitude is m bits after the leading one and an
// exponent e >= min_exponent; below 2^min_exponent the grid is even (subnormals). With step(e) = 2^(e - m):
//
//   code(k step(e)) = (e - min_exponent) 2^m + k ,   0 <= k <= 2^(m+1)                                            (1)
//
// The code of a magnitude is the usual biased exponent followed by the mantissa, and (1) stays true where rounding
// carries into the next binade (k = 2^(m+1)). Everything is done in double, where step(e) is a power of two that never
// under- or overflows, so that x / step is exact and a value is rounded once, whatever it came from.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace lacuna {

/// 2^e, -1022 <= e <= 1023.
inline double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

/// floor(log2 |x|) of a finite x; -1023 for zero and for the subnormals of double.
inline int exponent_of(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7FF) - 1023; }

template <int mantissa_bits, int min_exponent>
struct Minifloat {
  /// Code of the magnitude nearest to |x|, ties to the even code; |x| must not exceed the largest magnitude.
  static std::uint32_t round(double x) {
    const int e = std::max(exponent_of(x), min_exponent);
    const double k = std::nearbyint(std::fabs(x) * power_of_two(mantissa_bits - e));
    return (static_cast<std::uint32_t>(e - min_exponent) << mantissa_bits) + static_cast<std::uint32_t>(k);
  }
  static double value(std::uint32_t code) {
    const std::uint32_t fraction = code & ((1U << mantissa_bits) - 1);
    const bool is_normal = code >> mantissa_bits != 0;
    return static_cast<double>(fraction + (is_normal ? 1U << mantissa_bits : 0U)) *
           power_of_two(exponent(code) - mantissa_bits);
  }
  /// Largest |x - value| over the x that round to the code, overflow aside: half the gap to the larger neighbour (the
  /// gap to the smaller one is the same, or half of it at a power of two).
  static double half_step(std::uint32_t code) { return power_of_two(exponent(code) - mantissa_bits - 1); }

 private:
  static int exponent(std::uint32_t code) {
    const int biased = static_cast<int>(code >> mantissa_bits);
    return min_exponent + (biased > 0 ? biased - 1 : 0);
  }
};

}  // namespace lacuna
