#include "analysis/statistics/mean.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/quantile.hpp"
#include "core/base/error.hpp"
#include "core/base/rng.hpp"

namespace lacuna {
namespace {

/// [resamples], ascending.
std::vector<double> resampled_means(std::span<const double> values, std::int64_t resamples, std::uint64_t seed) {
  const CounterRng random(seed, "bca_mean");
  const auto n = static_cast<std::uint64_t>(values.size());
  LACUNA_ASSERT(n < (std::uint64_t{1} << 32));
  std::vector<double> means;
  std::uint64_t counter = 0;
  for (std::int64_t r = 0; r < resamples; ++r) {
    double sum = 0;
    for (std::uint64_t i = 0; i < n; i += 4) {  // four draws from one counter
      const auto words = random.words(counter++);
      for (std::uint64_t j = 0; j < std::min<std::uint64_t>(4, n - i); ++j)
        sum += values[static_cast<std::size_t>(words[j] * n >> 32)];
    }
    means.push_back(sum / static_cast<double>(n));
  }
  std::sort(means.begin(), means.end());
  return means;
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(values.size());
}

Estimate student_mean(std::span<const double> values, double confidence) {
  Estimate result{mean(values), {}};
  if (values.size() < 2) return result;
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double x : values) squares += (x - result.value) * (x - result.value);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), (1 + confidence) / 2);
  const double half = t * std::sqrt(squares / (n - 1) / n);
  result.interval = {result.value - half, result.value + half};
  return result;
}

Estimate bca_mean(std::span<const double> values, double confidence, std::int64_t resamples, std::uint64_t seed) {
  Estimate result{mean(values), {}};
  if (values.size() < 2) return result;
  double squares = 0;
  double cubes = 0;
  for (const double x : values) {
    const double d = x - result.value;
    squares += d * d;
    cubes += d * d * d;
  }
  if (squares == 0) {
    result.interval = {result.value, result.value};
    return result;
  }
  const boost::math::normal normal;
  const std::vector<double> means = resampled_means(values, resamples, seed);
  const auto [from, to] = std::equal_range(means.begin(), means.end(), result.value);
  const auto count = static_cast<double>(means.size());
  const double below = (static_cast<double>(from - means.begin()) + static_cast<double>(to - means.begin())) / 2;
  const double z_0 = boost::math::quantile(normal, std::clamp(below, 0.5, count - 0.5) / count);
  const double acceleration = cubes / (6 * squares * std::sqrt(squares));
  const auto end = [&](double z) {
    const double shifted = z_0 + (z_0 + z) / (1 - acceleration * (z_0 + z));
    return quantile(means, boost::math::cdf(normal, shifted));
  };
  const double z = boost::math::quantile(normal, (1 + confidence) / 2);
  result.interval = {end(-z), end(z)};
  return result;
}

}  // namespace lacuna
