// E2M1, the FP4 of OCP MX v1.0: one sign bit, two exponent bits, one mantissa bit.
//
// Range      codes 0..7 are 0, 0.5, 1, 1.5, 2, 3, 4, 6; bit 3 is the sign. One subnormal (0.5). No infinity, no NaN.
// Rounding   to nearest, ties to the even code: 0.25 -> 0, 0.75 -> 1, 1.25 -> 1, 1.75 -> 2, 2.5 -> 2, 3.5 -> 4, 5 -> 4.
//            Other conventions are in use: half away from zero (microxcaling's default), half towards zero (DeepGEMM's
//            tests). This one is that of the hardware's conversion, of DeepSeek's kernels and of ml_dtypes.
// Overflow   every |x| > 6, infinity included, becomes 6 (satfinite).
// Zero       keeps its sign: -0 and negative values that round to zero have code 8.
#pragma once

#include <cstdint>

namespace lacuna {

struct E2m1 {
  using Code = std::uint8_t;  ///< the low four bits
  static constexpr int bits = 4;
  static constexpr double max = 6;
  static Code encode(double x);  ///< x must not be NaN
  static double decode(Code code);
  /// Largest |x - decode(code)| over the x that round to the code, overflow aside.
  static double half_step(Code code);
};

}  // namespace lacuna
