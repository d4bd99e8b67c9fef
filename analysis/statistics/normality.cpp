#include "analysis/statistics/normality.hpp"

#include <boost/version.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>
#if BOOST_VERSION >= 107500
#include <boost/math/distributions/kolmogorov_smirnov.hpp>
#endif

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// PHI(z)
double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

/// (x - mean) / deviation, ascending; empty when there is no such thing.
std::vector<double> standardized(std::span<const double> values, double mean, double deviation) {
  std::vector<double> z;
  if (!(deviation > 0)) return z;
  for (const double x : values) z.push_back((x - mean) / deviation);
  std::sort(z.begin(), z.end());
  return z;
}

}  // namespace

double kolmogorov_smirnov_statistic(std::span<const double> values, double mean, double deviation) {
  const std::vector<double> z = standardized(values, mean, deviation);
  if (z.empty()) return kNan;
  const auto n = static_cast<double>(z.size());
  double largest = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double u = normal_cdf(z[i]);
    largest = std::max({largest, static_cast<double>(i + 1) / n - u, u - static_cast<double>(i) / n});
  }
  return largest;
}

double kolmogorov_smirnov_p_value([[maybe_unused]] double statistic, [[maybe_unused]] double n) {
#if BOOST_VERSION >= 107500
  return boost::math::cdf(complement(boost::math::kolmogorov_smirnov_distribution<>(n), statistic));
#else
  return kNan;
#endif
}

double anderson_darling_statistic(std::span<const double> values, double mean, double deviation) {
  const std::vector<double> z = standardized(values, mean, deviation);
  if (z.empty()) return kNan;
  const auto n = static_cast<double>(z.size());
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    sum += (2 * static_cast<double>(i) + 1) * (std::log(normal_cdf(z[i])) + std::log(normal_cdf(-z[z.size() - 1 - i])));
  return -n - sum / n;
}

double anderson_darling_p_value(double statistic, double n) {
  constexpr double end_of_table = 10;  // p = 4e-24
  const double a = std::min(statistic * (1 + 0.75 / n + 2.25 / (n * n)), end_of_table);
  if (a >= 0.6) return std::exp(1.2937 - 5.709 * a + 0.0186 * a * a);
  if (a >= 0.34) return std::exp(0.9177 - 4.279 * a - 1.38 * a * a);
  if (a >= 0.2) return -std::expm1(-8.318 + 42.796 * a - 59.938 * a * a);
  return -std::expm1(-13.436 + 101.14 * a - 223.73 * a * a);
}

}  // namespace lacuna
