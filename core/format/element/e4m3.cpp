#include "core/format/element/e4m3.hpp"

#include <array>
#include <limits>

#include "core/format/element/minifloat.hpp"

namespace lacuna {
namespace {
using Magnitude = Minifloat<3, -6>;
constexpr unsigned sign_bit = 0x80;
constexpr unsigned nan_code = 0x7F;

std::array<double, 256> all_values() {
  std::array<double, 256> values;
  for (unsigned code = 0; code < 256; ++code) {
    const unsigned magnitude = code & ~sign_bit;
    const double value = magnitude == nan_code ? std::numeric_limits<double>::quiet_NaN() : Magnitude::value(magnitude);
    values[code] = code & sign_bit ? -value : value;
  }
  return values;
}
}  // namespace

E4m3::Code E4m3::encode(double x) {
  if (std::isnan(x)) return nan_code;
  return static_cast<Code>((std::signbit(x) ? sign_bit : 0U) | Magnitude::round(std::min(std::fabs(x), max)));
}

double E4m3::decode(Code code) {
  static const std::array<double, 256> values = all_values();
  return values[code];
}

double E4m3::half_step(Code code) { return Magnitude::half_step(code & ~sign_bit); }

}  // namespace lacuna
