// f32: every element by itself, without a scale (core/format/element/f32.hpp: range and rounding).
//
// What a cache keeps where nothing is saved beyond the double that computes it. `exact` keeps rows as the source holds
// them, which is double for every source but a trace of f32.
//
// Error: 2^-24 of the value at worst, and half of the smallest subnormal (2^-150) near zero. An element stored as the
// largest value (3.40e38) may have been anything above it: its bound is +inf unless the row's largest magnitude is
// known.
#include "core/format/element/f32.hpp"

#include "core/format/block_codec.hpp"

namespace lacuna {
namespace {

const bool registered = FormatRegistry::instance().add({.name = "f32",
                                                        .sentence = "IEEE single precision, no scale",
                                                        .code_bits = F32::bits,
                                                        .block = 1,
                                                        .codec = std::make_shared<BlockCodec<F32, Unscaled>>(0)});

}  // namespace
}  // namespace lacuna
