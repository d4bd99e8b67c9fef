// E8M0, the scale of OCP MX v1.0: eight exponent bits (bias 127), no sign, no mantissa.
//
// Range      2^-127 .. 2^127, powers of two only; no zero. NaN is 0xFF.
// Rounding   encode: to the nearest power of two, a tie (1.5 2^e) to the larger, as ml_dtypes does. The scale rules of
//            block formats never round here: they choose an exponent and use from_exponent.
// Overflow   above 2^127 becomes 2^127, a positive value below 2^-127 becomes 2^-127. ml_dtypes gives NaN from
//            1.5 2^127 on; clamping first makes the two agree.
// No value   zero, negative numbers and NaN give 0xFF.
#pragma once

#include <cstdint>

namespace lacuna {

struct E8m0 {
  using Code = std::uint8_t;
  static constexpr int bits = 8;
  static constexpr double max = 0x1p127;
  static Code encode(double x);
  static double decode(Code code);
  /// Code of 2^e, e clamped to -127 .. 127.
  static Code from_exponent(int e);
};

}  // namespace lacuna
