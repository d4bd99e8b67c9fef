// f16, IEEE 754 binary16: one sign bit, five exponent bits (bias 15), ten mantissa bits.
//
// Range      +-65504; smallest normal 2^-14, smallest subnormal 2^-24. Infinity is 0x7C00, NaN above it.
// Rounding   to nearest, ties to the even code; one rounding even from double (through float there can be two).
// Overflow   every |x| > 65504, infinity included, becomes 65504: a stored row stays finite, and what it lost is
//            counted. A plain cast (numpy, ggml) gives infinity from 65520 on.
// Zero       keeps its sign.
#pragma once

#include <cstdint>

namespace lacuna {

struct F16 {
  using Code = std::uint16_t;
  static constexpr int bits = 16;
  static constexpr double max = 65504;
  static Code encode(double x);  ///< NaN gives a quiet NaN
  static double decode(Code code);
  /// Largest |x - decode(code)| over the x that round to the code, overflow aside. The code of a finite value.
  static double half_step(Code code);
};

}  // namespace lacuna
