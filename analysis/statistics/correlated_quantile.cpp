#include "analysis/statistics/correlated_quantile.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/quantile.hpp"
#include "analysis/statistics/rate.hpp"
#include "core/base/error.hpp"

namespace lacuna {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// (1); NaN where the correlation cannot be judged.
double effective_trials(const CorrelatedMean& share, double variance, double rows, double confidence) {
  if (std::isnan(share.standard_error())) return share.standard_error();
  const double error = share.standard_error() > 0 ? share.standard_error() : share.within;
  if (!(error > 0)) return rows;
  const double p = (1 + confidence) / 2;
  const double ratio = boost::math::quantile(boost::math::students_t(std::max(rows - 1, 1.0)), p) /
                       boost::math::quantile(boost::math::students_t(share.degrees), p);
  return std::clamp(variance / (error * error) * ratio * ratio, 1.0, rows);
}

/// The value at a rank that need not be whole, counted from 1; infinite outside the sample.
double at_rank(const std::vector<double>& sorted, double rank) {
  const auto n = static_cast<double>(sorted.size());
  const double low = std::clamp(std::floor(rank), 1.0, n);
  const double below = sorted[static_cast<std::size_t>(low) - 1];
  const double above = sorted[static_cast<std::size_t>(std::min(low + 1, n)) - 1];
  const double share = std::clamp(rank - low, 0.0, 1.0);
  return share == 0 || below == above ? below : below + share * (above - below);
}

Interval effective_interval(const std::vector<double>& sorted, double q, double trials, double confidence) {
  if (std::isnan(trials)) return {};
  const auto effective = static_cast<std::int64_t>(std::floor(trials));
  const QuantileRanks ranks = quantile_ranks(effective, q, confidence);
  const double scale = static_cast<double>(sorted.size()) / static_cast<double>(effective);
  const auto end = [&](std::int64_t rank) { return at_rank(sorted, (static_cast<double>(rank) - 0.5) * scale + 0.5); };
  return {ranks.lower < 1 ? -kInfinity : end(ranks.lower), ranks.upper > effective ? kInfinity : end(ranks.upper)};
}

}  // namespace

std::vector<std::vector<PositionSums>> sum_per_position(const std::vector<RowPlace>& places,
                                                        const std::vector<double>& values) {
  LACUNA_ASSERT(places.size() == values.size());
  std::vector<std::vector<PositionSums>> sums;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto sequence = static_cast<std::size_t>(places[row].sequence);
    const auto position = static_cast<std::size_t>(places[row].position);
    if (sequence >= sums.size()) sums.resize(sequence + 1);
    if (position >= sums[sequence].size()) sums[sequence].resize(position + 1);
    sums[sequence][position].sum += values[row];
    sums[sequence][position].count += 1;
  }
  return sums;
}

std::vector<Estimate> correlated_quantiles(const std::vector<RowPlace>& places, const std::vector<double>& values,
                                           const std::vector<double>& q, double confidence) {
  std::vector<Estimate> result(q.size());
  if (values.empty()) return result;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto rows = static_cast<double>(values.size());
  std::vector<double> at_most(values.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    result[i].value = at_rank(sorted, q[i] * (rows - 1) + 1);
    std::transform(values.begin(), values.end(), at_most.begin(),
                   [&](double x) { return x <= result[i].value ? 1.0 : 0.0; });
    const CorrelatedMean share = correlated_mean(sum_per_position(places, at_most), confidence);
    result[i].interval =
        effective_interval(sorted, q[i], effective_trials(share, q[i] * (1 - q[i]), rows, confidence), confidence);
  }
  return result;
}

Estimate correlated_rate(const std::vector<RowPlace>& places, const std::vector<double>& events, double confidence) {
  const CorrelatedMean share = correlated_mean(sum_per_position(places, events), confidence);
  if (events.empty()) return clopper_pearson(0, 0, confidence);
  const auto rows = static_cast<double>(events.size());
  const double p = std::clamp(share.value, 0.0, 1.0);
  const double trials = effective_trials(share, p * (1 - p), rows, confidence);
  if (std::isnan(trials)) return {p, {}};
  return clopper_pearson(p * trials, trials, confidence);
}

}  // namespace lacuna
