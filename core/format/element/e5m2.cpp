#include "core/format/element/e5m2.hpp"

#include <limits>

#include "core/format/element/minifloat.hpp"

namespace lacuna {
namespace {
using Magnitude = Minifloat<2, -14>;
constexpr unsigned sign_bit = 0x80;
constexpr unsigned infinity_code = 0x7C;
constexpr unsigned nan_code = 0x7E;
}  // namespace

E5m2::Code E5m2::encode(double x) {
  if (std::isnan(x)) return nan_code;
  return static_cast<Code>((std::signbit(x) ? sign_bit : 0U) | Magnitude::round(std::min(std::fabs(x), max)));
}

double E5m2::decode(Code code) {
  const unsigned magnitude = code & ~sign_bit;
  const double value = magnitude < infinity_code    ? Magnitude::value(magnitude)
                       : magnitude == infinity_code ? std::numeric_limits<double>::infinity()
                                                    : std::numeric_limits<double>::quiet_NaN();
  return code & sign_bit ? -value : value;
}

double E5m2::half_step(Code code) { return Magnitude::half_step(code & ~sign_bit); }

}  // namespace lacuna
