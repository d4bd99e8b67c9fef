#include "analysis/statistics/mean.hpp"

#include <limits>

namespace lacuna {

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(values.size());
}

}  // namespace lacuna
