// DeepSeek's power-of-two scale: the smallest one that clips nothing.
//
//   X = 2^ceil( log2( max(amax, floor) / q_max ) )                                                                (1)
//
// with q_max the largest element. amax / X lies in (q_max / 2, q_max]: no element is clipped, at the price of up to one
// bit against the OCP rule. The kernels evaluate amax * (1 / q_max) in f32 and take the exponent from its bits (plus
// one when the mantissa is not zero); for f32 amax this and the exact comparison below choose the same X: the
// product's rounding never crosses a power of two (the tests compare both at and beside every one).
//
// amax <= q_max X, so that a clipping bound is never needed, except where the exponent is clamped at 127
// (amax > q_max 2^127, which no f32 reaches).
#pragma once

#include <cmath>

#include "core/format/bytes.hpp"
#include "core/format/element/e8m0.hpp"
#include "core/format/element/minifloat.hpp"

namespace lacuna {

/// Floor: a type with `static constexpr double value`.
template <class Element, class Floor>
struct PowerOfTwoScale {
  static constexpr Index bytes = 1;
  static constexpr Index row_bytes = 0;
  static constexpr bool f32_quotient = false;
  static void store_row(double, std::byte*) {}
  static void store(double amax, const std::byte*, std::byte* scale) {
    amax = std::max(amax, Floor::value);
    int e = exponent_of(amax) - exponent_of(Element::max);  // amax / q_max lies in (2^(e-1), 2^(e+1))
    if (amax > Element::max * power_of_two(e)) ++e;
    lacuna::store(E8m0::from_exponent(e), scale);
  }
  static double value(const std::byte*, const std::byte* scale) { return E8m0::decode(load<E8m0::Code>(scale)); }
  static double amax_upper(const std::byte* row, const std::byte* scale) {
    const double x = value(row, scale);
    return x == E8m0::max ? INFINITY : Element::max * x;
  }
};

}  // namespace lacuna
