// An f32 scale that puts the block's largest magnitude on the largest element.
//
//   X = f32( max(amax, floor) / q_max )                                                                           (1)
//
// For an f32 amax, (1) evaluated in double and rounded once more equals the f32 division of the kernels. X is off by
// half an f32 step u(X) / 2, so amax <= q_max (X + u(X) / 2): amax exceeds q_max X by 2^-24 of it for a normal X, and
// by up to half of it for a subnormal one (amax below q_max 2^-126), where elements are clipped. X saturates at the
// largest f32, which only an amax beyond f32 reaches. X = 0 (amax < q_max 2^-150): every code is 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format/bytes.hpp"
#include "core/format/element/minifloat.hpp"

namespace lacuna {

/// x >= 0 to f32, the largest f32 where it is beyond that.
inline float saturated_f32(double x) {
  return static_cast<float>(std::min(x, static_cast<double>(std::numeric_limits<float>::max())));
}

/// Largest x >= 0 that saturated_f32 rounds to `stored`; +inf at the largest f32.
inline double f32_upper(float stored) {
  if (stored == std::numeric_limits<float>::max()) return INFINITY;
  return static_cast<double>(stored) + power_of_two(std::max(exponent_of(stored), -126) - 24);
}

/// Floor: a type with `static constexpr double value`.
template <class Element, class Floor>
struct F32Scale {
  static constexpr Index bytes = 4;
  static constexpr Index row_bytes = 0;
  static constexpr bool f32_quotient = true;
  static void store_row(double, std::byte*) {}
  static void store(double amax, const std::byte*, std::byte* scale) {
    lacuna::store(saturated_f32(std::max(amax, Floor::value) / Element::max), scale);
  }
  static double value(const std::byte*, const std::byte* scale) { return load<float>(scale); }
  static double amax_upper(const std::byte*, const std::byte* scale) {
    return Element::max * f32_upper(load<float>(scale)) * (1 + 0x1p-50);
  }
};

}  // namespace lacuna
