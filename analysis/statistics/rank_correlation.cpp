#include "analysis/statistics/rank_correlation.hpp"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestPairs = 5;

/// Calls visit(size) for every run of equal neighbours.
template <class T, class Visit>
void for_each_run(const std::vector<T>& sorted, const Visit& visit) {
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    visit(static_cast<double>(end - begin));
    begin = end;
  }
}

template <class T>
double tied_pairs(const std::vector<T>& sorted) {
  double pairs = 0;
  for_each_run(sorted, [&](double size) { pairs += size * (size - 1) / 2; });
  return pairs;
}

/// Sorts, and counts the pairs that stood in the wrong order.
double sort_and_count(std::span<double> values, std::vector<double>& scratch) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  double inversions = sort_and_count(values.first(half), scratch) + sort_and_count(values.subspan(half), scratch);
  scratch.clear();
  std::size_t left = 0;
  for (std::size_t right = half; right < values.size(); ++right) {
    while (left < half && values[left] <= values[right]) scratch.push_back(values[left++]);
    inversions += static_cast<double>(half - left);
    scratch.push_back(values[right]);
  }
  std::copy_backward(values.begin() + static_cast<std::ptrdiff_t>(left),
                     values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  std::copy(scratch.begin(), scratch.end(), values.begin());
  return inversions;
}

Interval fisher_interval(double r, double variance, double confidence) {
  const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2) * std::sqrt(variance);
  return {std::tanh(std::atanh(r) - z), std::tanh(std::atanh(r) + z)};
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double x_mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double y_mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : kNan;
}

}  // namespace

std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
    begin = end;
  }
  return ranks;
}

Estimate spearman(std::span<const double> x, std::span<const double> y, double confidence) {
  LACUNA_ASSERT(x.size() == y.size());
  Estimate result{pearson(mid_ranks(x), mid_ranks(y)), {}};
  const auto n = static_cast<double>(x.size());
  if (x.size() >= kFewestPairs && !std::isnan(result.value))
    result.interval = fisher_interval(result.value, (1 + result.value * result.value / 2) / (n - 3), confidence);
  return result;
}

Estimate kendall(std::span<const double> x, std::span<const double> y, double confidence) {
  LACUNA_ASSERT(x.size() == y.size());
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < x.size(); ++i) pairs.emplace_back(x[i], y[i]);
  std::sort(pairs.begin(), pairs.end());
  std::vector<double> first;
  std::vector<double> second;
  for (const auto& [a, b] : pairs) {
    first.push_back(a);
    second.push_back(b);
  }
  const auto n = static_cast<double>(x.size());
  const double all = n * (n - 1) / 2;
  const double tied_both = tied_pairs(pairs);
  const double tied_first = tied_pairs(first);
  std::vector<double> scratch;
  const double discordant = sort_and_count(second, scratch);
  const double tied_second = tied_pairs(second);
  const double scale = std::sqrt((all - tied_first) * (all - tied_second));
  if (!(scale > 0)) return {};
  const double concordant = all - tied_first - tied_second + tied_both - discordant;
  Estimate result{std::clamp((concordant - discordant) / scale, -1.0, 1.0), {}};
  if (x.size() >= kFewestPairs) result.interval = fisher_interval(result.value, 0.437 / (n - 4), confidence);
  return result;
}

}  // namespace lacuna
