// nvfp4: NVIDIA's FP4, E2M1 elements, one E4M3 scale s_b per 16 channels and one f32 scale s_g above them.
//
//   s_g = f32( amax_row / (448 6) )
//   s_b = E4M3( f32( amax_block / (6 s_g) ) ) clamped to 448          X = s_b s_g
//   q   = f32( x / X ) clamped to +-6, to nearest, ties to even
//
// The global scale is per row (one token's row of one KV head). NVIDIA's is per tensor, which a cache that grows cannot
// know when a row is written: rows would depend on tokens that come later, or be clipped by them. It costs 4 bytes.
//
// Clipping: as for fp4_e4m3_16 while s_b < 448: amax_block <= 6 s_g (s_b + half a step of E4M3 at s_b). At s_b = 448,
// where the row's largest block stands, amax_block <= amax_row <= 2688 (s_g + u(s_g) / 2), u the f32 step: nothing is
// clipped unless s_g is subnormal or at the largest f32. s_b = 0 (amax_block <= 2^-10 6 s_g, 2^-18.8 of the row's
// amax): all codes are 0. s_g = 0 (a row of zeros, or of values below 2688 2^-150): the same for the row.
//
// Decoding and encoding again gives the same values where every s_b is above 2 2^-9; at 2^-9 and 2 2^-9 the decoded
// amax_block can ask for a smaller scale (see fp4_e4m3_16; at 2^-9 a block can be flushed).
#include "core/format/block_codec.hpp"
#include "core/format/element/e2m1.hpp"
#include "core/format/element/e4m3.hpp"
#include "core/format/f32_scale.hpp"

namespace lacuna {
namespace {

struct TwoLevelScale {
  static constexpr Index bytes = 1;
  static constexpr Index row_bytes = 4;
  static constexpr bool f32_quotient = true;
  static constexpr double range = E4m3::max * E2m1::max;  // 2688

  static void store_row(double row_amax, std::byte* row) { lacuna::store(saturated_f32(row_amax / range), row); }
  static void store(double amax, const std::byte* row, std::byte* scale) {
    const double s_g = load<float>(row);
    const double quotient = s_g > 0 ? std::min(amax / (E2m1::max * s_g), E4m3::max) : 0;
    lacuna::store(E4m3::encode(static_cast<float>(quotient)), scale);
  }
  static double value(const std::byte* row, const std::byte* scale) {
    return E4m3::decode(load<E4m3::Code>(scale)) * static_cast<double>(load<float>(row));
  }
  static double amax_upper(const std::byte* row, const std::byte* scale) {
    const auto s_g = load<float>(row);
    const auto code = load<E4m3::Code>(scale);
    const double s_b = E4m3::decode(code);
    const double of_row = range * f32_upper(s_g) * (1 + 0x1p-50);
    if (s_g == 0 || s_b == E4m3::max) return of_row;
    return std::min(of_row, E2m1::max * s_g * (s_b + E4m3::half_step(code)) * (1 + 0x1p-23));
  }
};

const bool registered = FormatRegistry::instance().add(
    {.name = "nvfp4",
     .sentence = "NVFP4: E2M1 with an E4M3 scale per 16 channels under one f32 scale per row",
     .code_bits = E2m1::bits,
     .block = 16,
     .codec = std::make_shared<BlockCodec<E2m1, TwoLevelScale>>(16)});

}  // namespace
}  // namespace lacuna
