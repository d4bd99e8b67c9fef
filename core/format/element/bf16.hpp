// bf16: the upper half of an f32. One sign bit, eight exponent bits (bias 127), seven mantissa bits.
//
// Range      +-(2 - 2^-7) 2^127 = +-3.39e38; smallest normal 2^-126, smallest subnormal 2^-133. Infinity is 0x7F80, NaN
//            above it.
// Rounding   to nearest, ties to the even code; one rounding even from double (through float there can be two).
// Overflow   every |x| beyond the largest value, infinity included, becomes the largest value: a stored row stays
//            finite, and what it lost is counted. A plain cast gives infinity from (2 - 2^-8) 2^127 on.
// Zero       keeps its sign.
#pragma once

#include <cstdint>

namespace lacuna {

struct Bf16 {
  using Code = std::uint16_t;
  static constexpr int bits = 16;
  static constexpr double max = 0x1.FEp127;
  static Code encode(double x);  ///< NaN gives a quiet NaN
  static double decode(Code code);
  /// Largest |x - decode(code)| over the x that round to the code, overflow aside. The code of a finite value.
  static double half_step(Code code);
};

}  // namespace lacuna
