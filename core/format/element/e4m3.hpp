// E4M3 (the "fn" variant of OCP FP8): one sign bit, four exponent bits (bias 7), three mantissa bits.
//
// Range      +-448; smallest normal 2^-6, smallest subnormal 2^-9. No infinity. NaN is 0x7F and 0xFF alone.
// Rounding   to nearest, ties to the even code.
// Overflow   every |x| > 448, infinity included, becomes 448 (satfinite: what caches use). ml_dtypes instead gives NaN
//            from 464 on; clamping to 448 first makes the two agree.
// Zero       keeps its sign.
#pragma once

#include <cstdint>

namespace lacuna {

struct E4m3 {
  using Code = std::uint8_t;
  static constexpr int bits = 8;
  static constexpr double max = 448;
  static Code encode(double x);  ///< NaN gives 0x7F
  static double decode(Code code);
  /// Largest |x - decode(code)| over the x that round to the code, overflow aside. The code of a finite value.
  static double half_step(Code code);
};

}  // namespace lacuna
