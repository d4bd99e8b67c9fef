#include "core/format/element/e8m0.hpp"

#include <limits>

#include "core/format/element/minifloat.hpp"

namespace lacuna {

E8m0::Code E8m0::from_exponent(int e) { return static_cast<Code>(std::clamp(e, -127, 127) + 127); }

E8m0::Code E8m0::encode(double x) {
  if (!(x > 0)) return 0xFF;
  const int e = std::clamp(exponent_of(x), -128, 127);
  return from_exponent(x >= 1.5 * power_of_two(e) ? e + 1 : e);
}

double E8m0::decode(Code code) {
  return code == 0xFF ? std::numeric_limits<double>::quiet_NaN() : power_of_two(code - 127);
}

}  // namespace lacuna
