#include "analysis/statistics/correlated_mean.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/statistics/block_length.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The series without the polynomial of `coefficients` coefficients that fits it best: the orthogonal polynomials on
/// 0 ... T - 1, built one from the other by Gram and Schmidt, are taken out in turn.
std::vector<double> without_trend(std::vector<double> series, std::int64_t coefficients) {
  const auto size = series.size();
  std::vector<std::vector<double>> basis;
  const auto take_out = [&](std::vector<double>& from, const std::vector<double>& direction) {
    const double share = std::inner_product(from.begin(), from.end(), direction.begin(), 0.0);
    for (std::size_t t = 0; t < size; ++t) from[t] -= share * direction[t];
  };
  for (std::int64_t degree = 0; degree < coefficients; ++degree) {
    std::vector<double> next(size, 1);
    if (degree > 0)
      for (std::size_t t = 0; t < size; ++t)
        next[t] = basis.back()[t] * (2 * (static_cast<double>(t) + 0.5) / static_cast<double>(size) - 1);
    for (const auto& lower : basis) take_out(next, lower);
    const double norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    for (double& x : next) x /= norm;
    take_out(series, next);
    basis.push_back(std::move(next));
  }
  return series;
}

/// What one sequence says of the error of the mean.
struct SequenceError {
  double variance = kNan;  ///< (1); NaN for a single position
  std::int64_t block = 1;
  double degrees = 1;
};

SequenceError error_of_sum(const std::vector<double>& series) {
  const auto positions = static_cast<std::int64_t>(series.size());
  SequenceError result;
  if (positions < 2) return result;
  constexpr std::int64_t positions_per_coefficient = 50;
  const std::int64_t coefficients = std::clamp<std::int64_t>(positions / positions_per_coefficient, 1, 4);
  const std::vector<double> rest = without_trend(series, coefficients);
  result.block = std::clamp<std::int64_t>(2 * block_length(rest) - 1, 1,
                                          std::max<std::int64_t>(positions / (2 * coefficients + 1), 1));
  double squares = 0;
  double block = 0;
  for (std::int64_t t = 0; t < positions; ++t) {
    block += rest[static_cast<std::size_t>(t)];
    if (t >= result.block) block -= rest[static_cast<std::size_t>(t - result.block)];
    if (t + 1 >= result.block) squares += block * block;
  }
  const auto n = static_cast<double>(positions);
  const auto l = static_cast<double>(result.block);
  const auto p = static_cast<double>(coefficients);
  result.variance = n * n * squares / (l * (n - l + 1) * (n - p * l));
  result.degrees = std::max(1.5 * (n / l - p), 1.0);
  return result;
}

}  // namespace

double CorrelatedMean::standard_error() const { return std::isnan(across) ? within : across; }

CorrelatedMean correlated_mean(const std::vector<std::vector<PositionSums>>& sums, double confidence) {
  CorrelatedMean result;
  double total = 0;
  double rows = 0;
  for (const auto& sequence : sums)
    for (const PositionSums& at : sequence) {
      total += at.sum;
      rows += at.count;
    }
  if (rows == 0) return result;
  result.value = total / rows;

  double within = 0;
  double across = 0;
  double sequences = 0;
  for (const auto& sequence : sums) {
    std::vector<double> residual;
    for (const PositionSums& at : sequence)
      if (at.count > 0) residual.push_back(at.sum - result.value * at.count);
    if (residual.empty()) continue;
    const SequenceError error = error_of_sum(residual);
    result.block = std::max(result.block, error.block);
    result.degrees = error.degrees;
    within += error.variance;
    const double sum = std::accumulate(residual.begin(), residual.end(), 0.0);
    across += sum * sum;
    sequences += 1;
  }
  result.within = std::sqrt(within) / rows;
  if (sequences > 1) {
    result.across = std::sqrt(across * sequences / (sequences - 1)) / rows;
    result.degrees = sequences - 1;
  }
  if (std::isnan(result.standard_error())) return result;
  const double t = boost::math::quantile(boost::math::students_t(result.degrees), (1 + confidence) / 2);
  const double half = t * result.standard_error();
  result.interval = {result.value - half, result.value + half};
  return result;
}

}  // namespace lacuna
