#include "core/format/element/f32.hpp"

#include <bit>

#include "core/format/element/minifloat.hpp"

namespace lacuna {
namespace {
using Magnitude = Minifloat<23, -126>;
constexpr F32::Code sign_bit = 0x80000000;
constexpr F32::Code nan_code = 0x7FC00000;
}  // namespace

F32::Code F32::encode(double x) {
  if (std::isnan(x)) return nan_code;
  return (std::signbit(x) ? sign_bit : 0U) | Magnitude::round(std::min(std::fabs(x), max));
}

double F32::decode(Code code) { return std::bit_cast<float>(code); }

double F32::half_step(Code code) { return Magnitude::half_step(code & ~sign_bit); }

}  // namespace lacuna
