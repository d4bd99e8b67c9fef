// int8_token: symmetric integers with one f32 scale per row (per token).
//
//   X = f32( amax / 127 ) ,   q = f32( x / X ) to nearest, ties to even, in -127 .. 127 (-128 is not used)
//
// A row of zeros gets X = 0. Error: half a step, X / 2. Rows below 127 2^-126 have a subnormal X and can be clipped
// (f32_scale.hpp), and there alone decoding and encoding again may give other values.
//
// Layout: a code per channel, then the scale.
#include "core/format/block_codec.hpp"
#include "core/format/f32_scale.hpp"

namespace lacuna {
namespace {

struct SymmetricInt8 {
  using Code = std::int8_t;
  static constexpr int bits = 8;
  static constexpr double max = 127;
  static Code encode(double x) { return static_cast<Code>(std::nearbyint(std::clamp(x, -max, max))); }
  static double decode(Code code) { return code; }
  static double half_step(Code) { return 0.5; }
};

struct NoFloor {
  static constexpr double value = 0;
};

const bool registered = FormatRegistry::instance().add(
    {.name = "int8_token",
     .sentence = "symmetric int8 with one f32 scale per row",
     .code_bits = SymmetricInt8::bits,
     .block = 0,
     .codec = std::make_shared<BlockCodec<SymmetricInt8, F32Scale<SymmetricInt8, NoFloor>>>(0)});

}  // namespace
}  // namespace lacuna
