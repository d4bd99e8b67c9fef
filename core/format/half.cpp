// f16, bf16: every element by itself, without a scale (core/format/element/f16.hpp and bf16.hpp: range and rounding).
//
// Error: half a step of the element's own binade, 2^-11 (f16) or 2^-8 (bf16) of the value at worst, and half of the
// smallest subnormal (2^-25, 2^-134) near zero. An element stored as the largest value (65504; 3.39e38) may have been
// anything above it: its bound is +inf unless the row's largest magnitude is known.
#include "core/format/block_codec.hpp"
#include "core/format/element/f16.hpp"

namespace lacuna {
namespace {

const bool registered_f16 = FormatRegistry::instance().add({.name = "f16",
                                                            .sentence = "IEEE half precision, no scale",
                                                            .code_bits = F16::bits,
                                                            .block = 1,
                                                            .codec = std::make_shared<BlockCodec<F16, Unscaled>>(0)});
const bool registered_bf16 = FormatRegistry::instance().add({.name = "bf16",
                                                             .sentence = "bfloat16, no scale",
                                                             .code_bits = Bf16::bits,
                                                             .block = 1,
                                                             .codec = std::make_shared<BlockCodec<Bf16, Unscaled>>(0)});

}  // namespace
}  // namespace lacuna
