#include "core/format/element/f16.hpp"

#include <limits>

#include "core/format/element/minifloat.hpp"

namespace lacuna {
namespace {
using Magnitude = Minifloat<10, -14>;
constexpr unsigned sign_bit = 0x8000;
constexpr unsigned infinity_code = 0x7C00;
constexpr unsigned nan_code = 0x7E00;
}  // namespace

F16::Code F16::encode(double x) {
  if (std::isnan(x)) return nan_code;
  return static_cast<Code>((std::signbit(x) ? sign_bit : 0U) | Magnitude::round(std::min(std::fabs(x), max)));
}

double F16::decode(Code code) {
  const unsigned magnitude = code & ~sign_bit;
  const double value = magnitude < infinity_code    ? Magnitude::value(magnitude)
                       : magnitude == infinity_code ? std::numeric_limits<double>::infinity()
                                                    : std::numeric_limits<double>::quiet_NaN();
  return code & sign_bit ? -value : value;
}

double F16::half_step(Code code) { return Magnitude::half_step(code & ~sign_bit); }

}  // namespace lacuna
