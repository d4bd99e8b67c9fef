// fp4_ue8m0_32: DeepSeek's MXFP4 (index keys of V4 and V4.1), E2M1 elements and one E8M0 scale per 32 channels. The
// layout is that of OCP MXFP4; the scale rule is not:
//
//   amax <- max(amax, 6 2^-126) ,   X = 2^ceil( log2( amax / 6 ) ) ,   q = x / X to nearest, ties to even
//
// amax / X lies in (3, 6]: nothing is clipped. A decoded block re-encodes to the same values, though not always to the
// same codes: an amax that rounds to 3 X halves the scale and doubles the codes.
#include "core/format/block_codec.hpp"
#include "core/format/element/e2m1.hpp"
#include "core/format/power_of_two_scale.hpp"

namespace lacuna {
namespace {

struct Floor {
  static constexpr double value = 6 * 0x1p-126;
};

const bool registered = FormatRegistry::instance().add(
    {.name = "fp4_ue8m0_32",
     .sentence = "DeepSeek's MXFP4: E2M1 with a power-of-two scale per 32 channels, chosen so that nothing is clipped",
     .code_bits = E2m1::bits,
     .block = 32,
     .codec = std::make_shared<BlockCodec<E2m1, PowerOfTwoScale<E2m1, Floor>>>(32)});

}  // namespace
}  // namespace lacuna
