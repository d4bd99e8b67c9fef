// Sample quantiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lacuna {

/// The q-quantile by linear interpolation between order statistics at (n - 1) q (numpy's default); NaN when empty.
/// Values may be infinite, not NaN.
inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(std::floor(at));
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double below = values[low];
  const double share = at - std::floor(at);
  if (share == 0) return below;
  const double above = *std::min_element(values.begin() + low + 1, values.end());
  return below == above ? below : below + share * (above - below);
}

}  // namespace lacuna
