// f32, IEEE 754 binary32: one sign bit, eight exponent bits (bias 127), 23 mantissa bits.
//
// Range      +-(2 - 2^-23) 2^127 = +-3.40e38; smallest normal 2^-126, smallest subnormal 2^-149. Infinity is
// 0x7F800000,
//            NaN above it.
// Rounding   to nearest, ties to the even code: what a cast from double does.
// Overflow   every |x| beyond the largest value, infinity included, becomes the largest value: a stored row stays
//            finite, and what it lost is counted. A plain cast gives infinity from (2 - 2^-24) 2^127 on.
// Zero       keeps its sign.
#pragma once

#include <cstdint>

namespace lacuna {

struct F32 {
  using Code = std::uint32_t;
  static constexpr int bits = 32;
  static constexpr double max = 0x1.FFFFFEp127;
  static Code encode(double x);  ///< NaN gives a quiet NaN
  static double decode(Code code);
  /// Largest |x - decode(code)| over the x that round to the code, overflow aside. The code of a finite value.
  static double half_step(Code code);
};

}  // namespace lacuna
