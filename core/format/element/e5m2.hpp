// E5M2 of OCP FP8: the upper byte of an f16. One sign bit, five exponent bits (bias 15), two mantissa bits.
//
// Range      +-57344; smallest normal 2^-14, smallest subnormal 2^-16. Infinity is 0x7C, NaN 0x7D to 0x7F (and signed).
// Rounding   to nearest, ties to the even code.
// Overflow   every |x| > 57344, infinity included, becomes 57344 (satfinite), so that encode never makes an infinity.
//            ml_dtypes gives infinity from 61440 on; clamping to 57344 first makes the two agree.
// Zero       keeps its sign.
#pragma once

#include <cstdint>

namespace lacuna {

struct E5m2 {
  using Code = std::uint8_t;
  static constexpr int bits = 8;
  static constexpr double max = 57344;
  static Code encode(double x);  ///< NaN gives a quiet NaN
  static double decode(Code code);
  /// Largest |x - decode(code)| over the x that round to the code, overflow aside. The code of a finite value.
  static double half_step(Code code);
};

}  // namespace lacuna
