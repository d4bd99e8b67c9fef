#include "analysis/statistics/correlated_mean.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/block_length.hpp"
#include "analysis/statistics/mean.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// (1): the variance of the sum of a correlated series; NaN for a single position.
double variance_of_sum(const std::vector<double>& series, std::int64_t length) {
  const auto positions = static_cast<std::int64_t>(series.size());
  if (positions < 2) return kNan;
  const double centre = mean(series);
  double squares = 0;
  double block = 0;
  for (std::int64_t t = 0; t < positions; ++t) {
    block += series[static_cast<std::size_t>(t)] - centre;
    if (t >= length) block -= series[static_cast<std::size_t>(t - length)] - centre;
    if (t + 1 >= length) squares += block * block;
  }
  const auto n = static_cast<double>(positions);
  const auto l = static_cast<double>(length);
  return n * n * squares / (l * (n - l + 1) * (n - l));
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
  double positions = 0;
  for (const auto& sequence : sums) {
    std::vector<double> residual;
    for (const PositionSums& at : sequence)
      if (at.count > 0) residual.push_back(at.sum - result.value * at.count);
    if (residual.empty()) continue;
    const std::int64_t length = block_length(residual);
    result.block = std::max(result.block, length);
    within += variance_of_sum(residual, length);
    const double sum = std::accumulate(residual.begin(), residual.end(), 0.0);
    across += sum * sum;
    sequences += 1;
    positions += static_cast<double>(residual.size());
  }
  result.within = std::sqrt(within) / rows;
  if (sequences > 1) {
    result.across = std::sqrt(across * sequences / (sequences - 1)) / rows;
    result.degrees = sequences - 1;
  } else {
    result.degrees = std::max(1.5 * (positions / static_cast<double>(result.block) - 1), 1.0);
  }
  if (std::isnan(result.standard_error())) return result;
  const double t = boost::math::quantile(boost::math::students_t(result.degrees), (1 + confidence) / 2);
  const double half = t * result.standard_error();
  result.interval = {result.value - half, result.value + half};
  return result;
}

}  // namespace lacuna
