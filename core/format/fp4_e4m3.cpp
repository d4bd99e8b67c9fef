// fp4_e4m3_16: the main rows of DeepSeek-V4.1, E2M1 elements and one E4M3 scale per 16 channels: NVFP4 without its
// global scale.
//
//   amax <- max(amax, 6 2^-9) ,   X = E4M3( f32(amax / 6) ) ,   q = f32(x / X) clamped to +-6, to nearest, ties to even
//
// X is rounded to nearest, so it may lie below amax / 6 by half a step of E4M3, and elements are then clipped:
//   - normal X (2^-6 and up): amax / X <= 6 (1 + 1/16) = 6.375, at most 5.9 % of amax is lost;
//   - subnormal X = k 2^-9 (k = 1 .. 7): amax / X <= 6 (k + 1/2) / k, which is 9 for k = 1: a third is lost;
//   - X = 448, its largest value: from amax = 2688 on (6 x 448) the clipping has no limit.
// Hence amax_upper = 6 (X + half a step of E4M3 at X), and +inf at X = 448.
//
// A block of zeros gets X = 2^-9. Decoding and encoding again gives the same values, except where X = 2 2^-9 and
// amax / X rounded to 4: amax then asks for X = 2^-9, under which 8 is clipped to 6.
#include "core/format/block_codec.hpp"
#include "core/format/element/e2m1.hpp"
#include "core/format/element/e4m3.hpp"

namespace lacuna {
namespace {

struct E4m3Scale {
  static constexpr Index bytes = 1;
  static constexpr Index row_bytes = 0;
  static constexpr bool f32_quotient = true;
  static void store_row(double, std::byte*) {}
  static void store(double amax, const std::byte*, std::byte* scale) {
    const double quotient = std::min(std::max(amax, E2m1::max * 0x1p-9) / E2m1::max, E4m3::max);
    lacuna::store(E4m3::encode(static_cast<float>(quotient)), scale);
  }
  static double value(const std::byte*, const std::byte* scale) { return E4m3::decode(load<E4m3::Code>(scale)); }
  static double amax_upper(const std::byte* row, const std::byte* scale) {
    const double x = value(row, scale);
    if (x == E4m3::max) return INFINITY;
    return E2m1::max * (x + E4m3::half_step(load<E4m3::Code>(scale))) * (1 + 0x1p-23);
  }
};

const bool registered = FormatRegistry::instance().add(
    {.name = "fp4_e4m3_16",
     .sentence = "DeepSeek-V4.1's FP4: E2M1 with an E4M3 scale per 16 channels and no global scale",
     .code_bits = E2m1::bits,
     .block = 16,
     .codec = std::make_shared<BlockCodec<E2m1, E4m3Scale>>(16)});

}  // namespace
}  // namespace lacuna
