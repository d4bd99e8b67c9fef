// Rows cut into blocks of channels that share a scale X: a code q stands for q X. One template for every element
// (E2m1, E4m3, F16, ...) and every rule that chooses the scale.
//
// A Scale says how X follows from the largest magnitude of its block and how it is stored:
//
//   bytes, row_bytes             of a block's scale; of what all blocks of a row share (0: nothing)
//   store_row(row_amax, row)     writes what the row shares
//   store(amax, row, scale)      writes the block's scale
//   value(row, scale)            X, exact in double, from what was stored; 0 only when every code is to be 0
//   amax_upper(row, scale)       an upper value of the amax of every block that gets this stored scale; +inf if none
//   f32_quotient                 true: x / X is rounded to f32 before it is rounded to the element, as kernels do;
//                                false: X is a power of two and x / X is exact, in double and in f32
//
// Error bound. Let h be the element's half step at the code q. If |x / X| does not exceed the largest element q_max,
//   |x - q X| <= h X ,                                                                                            (1)
// and otherwise q = +-q_max and
//   |x - q X| <= amax_upper - q_max X ,                                                                           (2)
// so (1) bounds every element whose code is below q_max in magnitude and max((1), (2)) the others. X = 0 leaves (2)
// alone. An f32 quotient is off by 2^-24 of itself, which moves the tie points: (1) grows by 2^-23 (|q| + h) X.
//
// Saturated elements are those beyond q_max X by more than 2^-20 of it: the rounding of a scale to f32 is no clipping.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/format/bytes.hpp"
#include "core/format/element/bf16.hpp"
#include "core/format/format_kind.hpp"

namespace lacuna {

/// Elements that are stored as they are, X = 1. Nothing limits amax.
struct Unscaled {
  static constexpr Index bytes = 0;
  static constexpr Index row_bytes = 0;
  static constexpr bool f32_quotient = false;
  static void store_row(double, std::byte*) {}
  static void store(double, const std::byte*, std::byte*) {}
  static double value(const std::byte*, const std::byte*) { return 1; }
  static double amax_upper(const std::byte*, const std::byte*) { return INFINITY; }
};

inline double largest_magnitude(const double* x, Index n) {
  double amax = 0;
  for (Index i = 0; i < n; ++i) amax = std::max(amax, std::fabs(x[i]));
  return amax;
}

template <class Element, class Scale>
class BlockCodec final : public RowCodec {
 public:
  /// 0: the block is the whole row.
  explicit BlockCodec(Index block) : block_(block) {}

  StoredBytes bytes(const RowShape& shape) const override {
    return {.codes = code_bytes<Element>(encoded(shape)),
            .scales = encoded(shape) / block(shape) * Scale::bytes + Scale::row_bytes,
            .tail = code_bytes<Bf16>(shape.exact_tail)};
  }
  Index blocks(const RowShape& shape) const override {
    return encoded(shape) / block(shape) + (shape.exact_tail > 0 ? 1 : 0);
  }

  void encode(const RowShape& shape, const double* row, std::byte* stored, const EncodeReport& report) const override {
    const Fields<std::byte> fields(*this, shape, stored);
    *report.saturated = 0;
    *report.flushed = 0;
    Scale::store_row(largest_magnitude(row, encoded(shape)), fields.row_scale);
    double* amax = report.block_amax;
    for (Index begin = 0; begin < encoded(shape); begin += block(shape), ++amax) {
      *amax = largest_magnitude(row + begin, block(shape));
      std::byte* scale = fields.scales + begin / block(shape) * Scale::bytes;
      Scale::store(*amax, fields.row_scale, scale);
      encode_run<Element, Scale::f32_quotient>(row + begin, block(shape), Scale::value(fields.row_scale, scale),
                                               fields.codes, begin, report);
    }
    if (shape.exact_tail > 0) {
      const double* tail = row + encoded(shape);
      *amax = largest_magnitude(tail, shape.exact_tail);
      encode_run<Bf16, false>(tail, shape.exact_tail, 1, fields.tail, 0, report);
    }
  }

  void decode(const RowShape& shape, const std::byte* stored, double* row) const override {
    const Fields<const std::byte> fields(*this, shape, stored);
    for (Index begin = 0; begin < encoded(shape); begin += block(shape)) {
      const double x = Scale::value(fields.row_scale, fields.scales + begin / block(shape) * Scale::bytes);
      for (Index c = begin; c < begin + block(shape); ++c)
        row[c] = Element::decode(load_code<Element>(fields.codes, c)) * x;
    }
    for (Index t = 0; t < shape.exact_tail; ++t)
      row[encoded(shape) + t] = Bf16::decode(load_code<Bf16>(fields.tail, t));
  }

  void error_bound(const RowShape& shape, const std::byte* stored, const double* block_amax,
                   double* bound) const override {
    const Fields<const std::byte> fields(*this, shape, stored);
    for (Index begin = 0; begin < encoded(shape); begin += block(shape)) {
      const std::byte* scale = fields.scales + begin / block(shape) * Scale::bytes;
      bound_run<Element, Scale::f32_quotient>(
          fields.codes, begin, block(shape), Scale::value(fields.row_scale, scale),
          upper(Scale::amax_upper(fields.row_scale, scale), block_amax, begin / block(shape)), bound + begin);
    }
    if (shape.exact_tail > 0)
      bound_run<Bf16, false>(fields.tail, 0, shape.exact_tail, 1, upper(INFINITY, block_amax, blocks(shape) - 1),
                             bound + encoded(shape));
  }

 private:
  Index encoded(const RowShape& shape) const { return shape.width - shape.exact_tail; }
  Index block(const RowShape& shape) const { return block_ > 0 ? block_ : encoded(shape); }

  /// Codes, block scales, what the row shares, tail: in this order.
  template <class Byte>
  struct Fields {
    Fields(const BlockCodec& codec, const RowShape& shape, Byte* stored)
        : codes(stored),
          scales(stored + codec.bytes(shape).codes),
          row_scale(scales + codec.bytes(shape).scales - Scale::row_bytes),
          tail(scales + codec.bytes(shape).scales) {}
    Byte* codes;
    Byte* scales;
    Byte* row_scale;
    Byte* tail;
  };

  static double upper(double from_scale, const double* block_amax, Index b) {
    return std::isinf(from_scale) && block_amax != nullptr ? block_amax[b] : from_scale;
  }

  /// Codes of n elements with one scale, written from code `first` on.
  template <class E, bool f32_quotient>
  static void encode_run(const double* x, Index n, double scale, std::byte* codes, Index first,
                         const EncodeReport& report) {
    for (Index i = 0; i < n; ++i) {
      double quotient = scale > 0 ? std::clamp(x[i] / scale, -2 * E::max, 2 * E::max) : 0;
      if constexpr (f32_quotient) quotient = static_cast<float>(quotient);
      const typename E::Code code = E::encode(quotient);
      store_code<E>(code, codes, first + i);
      *report.saturated += scale > 0 && std::fabs(quotient) > E::max * (1 + 0x1p-20);
      *report.flushed += x[i] != 0 && E::decode(code) * scale == 0;
    }
  }

  /// Equations (1) and (2).
  template <class E, bool f32_quotient>
  static void bound_run(const std::byte* codes, Index first, Index n, double scale, double amax_upper, double* bound) {
    for (Index i = 0; i < n; ++i) {
      const typename E::Code code = load_code<E>(codes, first + i);
      const double q = std::fabs(E::decode(code));
      const double h = E::half_step(code);
      bound[i] = (f32_quotient ? h + 0x1p-23 * (q + h) : h) * scale;
      if (q == E::max || scale == 0) bound[i] = std::max(bound[i], amax_upper - q * scale);
    }
  }

  Index block_;
};

}  // namespace lacuna
