// fp8_e4m3_f32_128, fp8_e4m3_ue8m0_64, fp8_e4m3_ue8m0_32: the FP8 rows of DeepSeek's caches, E4M3 elements.
//
//   amax <- max(amax, 1e-4) ,   q = x / X clamped to +-448, to nearest, ties to even
//
//   fp8_e4m3_f32_128    X = f32(amax / 448)            block 128   V3.2: latent (64 RoPE channels in bf16), index key
//   fp8_e4m3_ue8m0_64   X = 2^ceil(log2(amax / 448))   block 64    V4: shared state (64 RoPE channels in bf16)
//   fp8_e4m3_ue8m0_32   X = 2^ceil(log2(amax / 448))   block 32    V4.1: window, all channels
//
// x / X is exact under a power-of-two scale and an f32 quotient under an f32 scale. (FlashMLA's tests floor the scale,
// not amax, at 1e-4: other values for blocks below 0.0448.) Nothing is clipped. Blocks far below the floor lose
// resolution: under 1e-4 / 448 2^-10 they are flushed to zero.
//
// exact_tail (0 by default): so many last channels are kept as bf16 and take no part in any block. Not for block 32.
#include "core/format/block_codec.hpp"
#include "core/format/element/e4m3.hpp"
#include "core/format/f32_scale.hpp"
#include "core/format/power_of_two_scale.hpp"

namespace lacuna {
namespace {

struct Floor {
  static constexpr double value = static_cast<double>(1e-4F);
};
using PowerOfTwo = BlockCodec<E4m3, PowerOfTwoScale<E4m3, Floor>>;
using Float = BlockCodec<E4m3, F32Scale<E4m3, Floor>>;

const bool registered_f32_128 =
    FormatRegistry::instance().add({.name = "fp8_e4m3_f32_128",
                                    .sentence = "DeepSeek-V3.2's FP8: E4M3 with an f32 scale per 128 channels",
                                    .code_bits = E4m3::bits,
                                    .block = 128,
                                    .takes_exact_tail = true,
                                    .codec = std::make_shared<Float>(128)});
const bool registered_ue8m0_64 =
    FormatRegistry::instance().add({.name = "fp8_e4m3_ue8m0_64",
                                    .sentence = "DeepSeek-V4's FP8: E4M3 with a power-of-two scale per 64 channels",
                                    .code_bits = E4m3::bits,
                                    .block = 64,
                                    .takes_exact_tail = true,
                                    .codec = std::make_shared<PowerOfTwo>(64)});
const bool registered_ue8m0_32 = FormatRegistry::instance().add(
    {.name = "fp8_e4m3_ue8m0_32",
     .sentence = "DeepSeek-V4.1's FP8 of the window: E4M3 with a power-of-two scale per 32 channels",
     .code_bits = E4m3::bits,
     .block = 32,
     .codec = std::make_shared<PowerOfTwo>(32)});

}  // namespace
}  // namespace lacuna
