#include "analysis/statistics/log_normal_weights.hpp"

#include <boost/math/distributions/normal.hpp>

#include <cmath>
#include <limits>

namespace lacuna::log_normal_weights {
namespace {

/// PHI^-1(p), infinite at 0 and 1.
double quantile(double p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return p <= 0 ? -infinity : p >= 1 ? infinity : boost::math::quantile(boost::math::normal(), p);
}

/// PHI(z)
double cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

}  // namespace

double omitted_mass(double kept, double sigma) { return cdf(-quantile(kept) - sigma); }

double entropy(double n, double sigma) {
  if (!(sigma < std::sqrt(2 * std::log(n)))) return std::numeric_limits<double>::quiet_NaN();
  return std::log(n) - sigma * sigma / 2;
}

double effective_keys(double n, double sigma) {
  if (!(2 * sigma < std::sqrt(2 * std::log(n)))) return std::numeric_limits<double>::quiet_NaN();
  return n * std::exp(-sigma * sigma);
}

double missed_mass(double n, double sigma) { return cdf(sigma + quantile(1 / n)); }

}  // namespace lacuna::log_normal_weights
