#include "core/format/element/e2m1.hpp"

#include "core/base/error.hpp"
#include "core/format/element/minifloat.hpp"

namespace lacuna {
namespace {
using Magnitude = Minifloat<1, 0>;
constexpr unsigned sign_bit = 0x8;
}  // namespace

E2m1::Code E2m1::encode(double x) {
  LACUNA_ASSERT(!std::isnan(x));
  return static_cast<Code>((std::signbit(x) ? sign_bit : 0U) | Magnitude::round(std::min(std::fabs(x), max)));
}

double E2m1::decode(Code code) {
  static constexpr double values[16] = {0, .5, 1, 1.5, 2, 3, 4, 6, -0.0, -.5, -1, -1.5, -2, -3, -4, -6};
  return values[code & 0xF];
}

double E2m1::half_step(Code code) { return Magnitude::half_step(code & ~sign_bit & 0xF); }

}  // namespace lacuna
