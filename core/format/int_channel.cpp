// int4_channel, int8_channel: asymmetric integers per channel over groups of 32 rows, as KIVI keeps keys (Liu et al.,
// "KIVI: A tuning-free asymmetric 2bit quantization for KV cache", ICML 2024). L = 15 or 255:
//
//   z = f16(min) ,   s = f16((max - min) / L) ,   q = (x - z) / s clamped to 0 .. L, to nearest, ties to even ,
//   decoded z + q s
//
// min and max run over the group's 32 values of the channel; q is found with z and s as stored. KIVI computes in f16
// throughout; here only z and s are f16, and the rest is double (z + q s is exact). s = 0 (a constant channel, or a
// range below L 2^-25) gives q = 0. Rows are encoded 32 at a time: those of an incomplete group wait as they are.
//
// Error. With h(.) half an f16 step, |min - z| <= h(z) and |(max - min) / L - s| <= h(s):
//   0 < q < L    s / 2
//   q = 0        max(s / 2, h(z)) : x >= min >= z - h(z)
//   q = L        max(s / 2, h(z) + L h(s)) : x <= max <= min + L (s + h(s))
//   s = 0        h(z) + L 2^-25
// Where z or s is at +-65504 the range is not known: amax + |z + q s| with the block's amax is left, or +inf.
//
// Decoding and encoding again gives the same values when h(z) + L h(s) < s / 2 and neither is at its largest: the
// decoded extremes are then z and z + L s. A channel far from zero with a small range, or one whose s is a subnormal
// f16, does not have this; its second error is within the bound all the same.
//
// Layout of a group: codes, channel after channel, 32 rows each (4 bits: even row in the low nibble); then z and s of
// each channel. A block is a channel of the group.
#include <algorithm>
#include <cmath>

#include "core/format/bytes.hpp"
#include "core/format/element/f16.hpp"
#include "core/format/format_kind.hpp"

namespace lacuna {
namespace {

constexpr Index group = 32;

template <int bits_>
struct Unsigned {
  using Code = std::uint8_t;
  static constexpr int bits = bits_;
  static constexpr double max = (1 << bits_) - 1;
};

struct Line {
  F16::Code zero, step;
  double z() const { return F16::decode(zero); }
  double s() const { return F16::decode(step); }
};

template <class Element>
class IntChannel final : public RowCodec {
 public:
  StoredBytes bytes(const RowShape& shape) const override {
    return {.codes = shape.width * channel_bytes, .scales = shape.width * static_cast<Index>(sizeof(Line))};
  }
  Index blocks(const RowShape& shape) const override { return shape.width; }

  void encode(const RowShape& shape, const double* rows, std::byte* stored, const EncodeReport& report) const override {
    std::fill_n(report.saturated, group, 0);
    std::fill_n(report.flushed, group, 0);
    for (Index c = 0; c < shape.width; ++c) {
      double low = rows[c];
      double high = rows[c];
      for (Index r = 1; r < group; ++r) {
        low = std::min(low, rows[r * shape.width + c]);
        high = std::max(high, rows[r * shape.width + c]);
      }
      report.block_amax[c] = std::max(std::fabs(low), std::fabs(high));
      const Line line{F16::encode(low), F16::encode(high / L - low / L)};
      store(line, scales(shape, stored) + c * static_cast<Index>(sizeof(Line)));
      for (Index r = 0; r < group; ++r) {
        const double x = rows[r * shape.width + c];
        const double q = line.s() > 0 ? std::nearbyint(std::clamp((x - line.z()) / line.s(), 0.0, L)) : 0;
        store_code<Element>(static_cast<typename Element::Code>(q), stored + c * channel_bytes, r);
        const double slack = 0x1p-10 * (L * line.s() + std::fabs(line.z()));
        const bool is_flushed = x != 0 && line.z() + q * line.s() == 0;
        report.flushed[r] += is_flushed;
        report.saturated[r] += !is_flushed && (x < line.z() - slack || x > line.z() + L * line.s() + slack);
      }
    }
  }

  void decode(const RowShape& shape, const std::byte* stored, double* rows) const override {
    for (Index c = 0; c < shape.width; ++c) {
      const Line line = load<Line>(scales(shape, stored) + c * static_cast<Index>(sizeof(Line)));
      for (Index r = 0; r < group; ++r)
        rows[r * shape.width + c] = line.z() + load_code<Element>(stored + c * channel_bytes, r) * line.s();
    }
  }

  void error_bound(const RowShape& shape, const std::byte* stored, const double* block_amax,
                   double* bound) const override {
    for (Index c = 0; c < shape.width; ++c) {
      const Line line = load<Line>(scales(shape, stored) + c * static_cast<Index>(sizeof(Line)));
      const double s = line.s();
      const double h_z = F16::half_step(line.zero);
      const double h_s = F16::half_step(line.step);
      const double in_double = 0x1p-40 * (std::fabs(line.z()) + (L + 1) * s);  // far above the rounding of the encoder
      const bool is_unlimited = std::fabs(line.z()) == F16::max || s == F16::max;
      for (Index r = 0; r < group; ++r) {
        const double q = load_code<Element>(stored + c * channel_bytes, r);
        double e = s / 2;
        if (q == 0) e = std::max(e, h_z);
        if (q == L || s == 0) e = std::max(e, h_z + L * h_s);
        if (is_unlimited) e = (block_amax != nullptr ? block_amax[c] : INFINITY) + std::fabs(line.z() + q * s);
        bound[r * shape.width + c] = e + in_double;
      }
    }
  }

 private:
  static constexpr double L = Element::max;
  static constexpr Index channel_bytes = code_bytes<Element>(group);

  template <class Byte>
  static Byte* scales(const RowShape& shape, Byte* stored) {
    return stored + shape.width * channel_bytes;
  }
};

const bool registered_4 = FormatRegistry::instance().add(
    {.name = "int4_channel",
     .sentence = "KIVI's int4: asymmetric per channel over 32 rows, f16 scale and zero point",
     .code_bits = 4,
     .block = 1,
     .rows_per_group = group,
     .codec = std::make_shared<IntChannel<Unsigned<4>>>()});
const bool registered_8 =
    FormatRegistry::instance().add({.name = "int8_channel",
                                    .sentence = "asymmetric int8 per channel over 32 rows, f16 scale and zero point",
                                    .code_bits = 8,
                                    .block = 1,
                                    .rows_per_group = group,
                                    .codec = std::make_shared<IntChannel<Unsigned<8>>>()});

}  // namespace
}  // namespace lacuna
