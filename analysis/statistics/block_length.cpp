#include "analysis/statistics/block_length.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/mean.hpp"

namespace lacuna {
namespace {

/// R(0) ... R(lags), each over n.
std::vector<double> autocovariances(std::span<const double> series, std::size_t lags) {
  const double centre = mean(series);
  std::vector<double> result;
  for (std::size_t lag = 0; lag <= lags; ++lag) {
    double sum = 0;
    for (std::size_t t = 0; t + lag < series.size(); ++t) sum += (series[t] - centre) * (series[t + lag] - centre);
    result.push_back(sum / static_cast<double>(series.size()));
  }
  return result;
}

/// The smallest m such that the `run` autocorrelations behind lag m are all small; the last lag that is not small where
/// there is no such run.
std::size_t last_correlated_lag(const std::vector<double>& covariance, std::size_t run, double small) {
  std::size_t last = 0;
  for (std::size_t lag = 1; lag < covariance.size() && lag - last <= run; ++lag)
    if (!(std::abs(covariance[lag]) < small * covariance[0])) last = lag;
  return last;
}

}  // namespace

std::int64_t block_length(std::span<const double> series) {
  constexpr std::size_t fewest = 8;
  if (series.size() < fewest) return 1;
  const auto n = static_cast<double>(series.size());
  const auto run = static_cast<std::size_t>(std::max(5.0, std::ceil(std::sqrt(std::log10(n)))));
  const std::size_t widest = static_cast<std::size_t>(std::ceil(std::sqrt(n))) + run;
  const std::vector<double> covariance = autocovariances(series, std::min(widest + run, series.size() - 1));
  if (!(covariance[0] > 0)) return 1;
  const std::size_t m = last_correlated_lag(covariance, run, 2 * std::sqrt(std::log10(n) / n));
  const std::size_t window = std::min({2 * m, widest, covariance.size() - 1});
  double weighted = 0;              // G
  double spectrum = covariance[0];  // g
  for (std::size_t lag = 1; lag <= window; ++lag) {
    const double t = static_cast<double>(lag) / static_cast<double>(window);
    const double lambda = t <= 0.5 ? 1 : 2 * (1 - t);
    weighted += 2 * lambda * static_cast<double>(lag) * covariance[lag];
    spectrum += 2 * lambda * covariance[lag];
  }
  const double longest = std::floor(std::min(3 * std::sqrt(n), n / 3));
  const double length = std::cbrt(2 * weighted * weighted / (4.0 / 3 * spectrum * spectrum) * n);
  return static_cast<std::int64_t>(std::isfinite(length) ? std::clamp(std::ceil(length), 1.0, longest) : longest);
}

}  // namespace lacuna
