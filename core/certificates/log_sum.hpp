// Sums of exponentials by their logarithm, each with a radius on its own rounding, so that what is added up can be
// larger or smaller than a double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/attention/rows.hpp"
#include "core/reference/compensated.hpp"

namespace lacuna {

/// The logarithm of a sum is within [lower, upper]; -inf is a sum of 0, +inf one that nothing is known of.
struct LogSum {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();
};

/// log sum_i exp(x_i) with the rounding of its evaluation, x [n]: with the largest exponent m taken out, a term is
/// within (3 + |x_i - m|) u of its value, of which |t| e^-|t| < 1 counts, so that
///   | fl(log sum) - log sum | <= (n + 8) 2u + 4u |m| .                                                          (1)
inline LogSum log_sum_exp(std::span<const double> x) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : x) largest = std::max(largest, value);
  if (std::isinf(largest)) return {largest, largest};
  double sum = 0;
  for (const double value : x) sum += std::exp(value - largest);
  const double log_sum = largest + std::log(sum);
  const double radius = ((static_cast<double>(x.size()) + 8) * 2 + 4 * std::abs(largest)) * kUnitRoundoff;
  return {log_sum - radius, log_sum + radius};
}

/// The mass a / (a + b) of what has the sum a beside what has the sum b, from log a - log b, in (0, 1): without
/// cancellation at either end, within 8 u.
inline double mass_of_log_odds(double log_odds) {
  if (log_odds > 0) return 1 / (1 + std::exp(-log_odds));
  const double odds = std::exp(log_odds);
  return odds / (1 + odds);
}

/// a - b for logarithms, raised by the rounding of the subtraction.
inline double difference_upper(double a, double b) {
  const double difference = a - b;
  return std::isinf(difference) ? difference : difference + 2 * kUnitRoundoff * (std::abs(a) + std::abs(b));
}

}  // namespace lacuna
