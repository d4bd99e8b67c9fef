// mxfp8, mxfp4: OCP Microscaling v1.0, 32 elements (E4M3 or E2M1) and one E8M0 scale per block.
//
// Scale rule (OCP MX v1.0, section 6.3):   X = 2^( floor(log2 amax) - emax ) ,
// where emax is the exponent of the largest element (E4M3: 8, E2M1: 2). Elements are x / X, to nearest, ties to even,
// clamped to +-448 or +-6.
//
//   - amax / X lies in [2^emax, 2^(emax + 1)): [256, 512) for E4M3, [4, 8) for E2M1. What exceeds 448 X or 6 X is
//     clipped: an amax just below a power of two loses almost a quarter of itself under E2M1.
//   - The exponent is clamped to -127 .. 127. The specification leaves the case above to the implementation (the
//     microxcaling library makes NaN); here X = 2^127 and the block is clipped, so that it stays finite. It takes
//     amax >= 2^(128 + emax), which no f32 reaches.
//   - A block of zeros gets X = 2^-127.
//
// amax < 2^(emax + 1) X gives the clipping bound: 8 X - 6 X = 2 X for E2M1, 512 X - 448 X = 64 X for E4M3.
// The decoded amax lies in the same binade: decoding and encoding again gives the same values.
#include "core/format/block_codec.hpp"
#include "core/format/element/e2m1.hpp"
#include "core/format/element/e4m3.hpp"
#include "core/format/element/e8m0.hpp"
#include "core/format/element/minifloat.hpp"

namespace lacuna {
namespace {

template <int emax>
struct OcpScale {
  static constexpr Index bytes = 1;
  static constexpr Index row_bytes = 0;
  static constexpr bool f32_quotient = false;
  static void store_row(double, std::byte*) {}
  static void store(double amax, const std::byte*, std::byte* scale) {
    lacuna::store(E8m0::from_exponent(exponent_of(amax) - emax), scale);
  }
  static double value(const std::byte*, const std::byte* scale) { return E8m0::decode(load<E8m0::Code>(scale)); }
  static double amax_upper(const std::byte* row, const std::byte* scale) {
    const double x = value(row, scale);
    return x == E8m0::max ? INFINITY : power_of_two(emax + 1) * x;
  }
};

constexpr Index block = 32;

const bool registered_mxfp8 =
    FormatRegistry::instance().add({.name = "mxfp8",
                                    .sentence = "OCP MXFP8: E4M3 with a power-of-two scale per 32 channels",
                                    .code_bits = E4m3::bits,
                                    .block = block,
                                    .codec = std::make_shared<BlockCodec<E4m3, OcpScale<8>>>(block)});
const bool registered_mxfp4 =
    FormatRegistry::instance().add({.name = "mxfp4",
                                    .sentence = "OCP MXFP4: E2M1 with a power-of-two scale per 32 channels",
                                    .code_bits = E2m1::bits,
                                    .block = block,
                                    .codec = std::make_shared<BlockCodec<E2m1, OcpScale<2>>>(block)});

}  // namespace
}  // namespace lacuna
