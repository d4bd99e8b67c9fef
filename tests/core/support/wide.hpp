// Numbers of 113 bits whose exponent underflows at 2^-1000000: what the ruler is checked with. They share nothing with
// core's arithmetic.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cstdint>
#include <vector>

namespace lacuna::testing_core {

using Wide =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<113, boost::multiprecision::digit_base_2, void,
                                                                       std::int32_t, -1000000, 1000000>,
                                  boost::multiprecision::et_off>;
using WideVector = std::vector<Wide>;

inline double to_double(const Wide& x) { return x.convert_to<double>(); }

inline WideVector widen(const std::vector<double>& x) { return {x.begin(), x.end()}; }

inline std::vector<double> to_double(const WideVector& x) {
  std::vector<double> result;
  for (const Wide& value : x) result.push_back(to_double(value));
  return result;
}

inline Wide wide_norm(const WideVector& x) {
  Wide sum = 0;
  for (const Wide& value : x) sum += value * value;
  return sqrt(sum);
}

inline Wide wide_distance(const WideVector& x, const WideVector& y) {
  Wide sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += (x[c] - y[c]) * (x[c] - y[c]);
  return sqrt(sum);
}

/// |measured / exact - 1|, as a double; 0 when both are 0.
inline double relative_error(double measured, const Wide& exact) {
  if (exact == 0) return measured == 0 ? 0 : 1e300;
  return to_double(Wide(abs(Wide(measured) / exact - 1)));
}

}  // namespace lacuna::testing_core
