#include "analysis/statistics/paired_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Of two losses, the share t of the way from the first to the second.
double between(double first, double second, double t) {
  if (t == 0) return first;
  if (t == 1) return second;
  if (first > 0 && second > 0) return std::exp((1 - t) * std::log(first) + t * std::log(second));
  return (1 - t) * first + t * second;
}

}  // namespace

std::vector<double> at_cost(const Frontier& frontier, double cost) {
  LACUNA_ASSERT(!frontier.cost.empty() && frontier.cost.size() == frontier.value.size() && cost > 0);
  std::vector<std::size_t> order(frontier.cost.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return frontier.cost[a] < frontier.cost[b]; });
  const auto above = std::find_if(order.begin(), order.end(), [&](std::size_t i) { return frontier.cost[i] >= cost; });
  std::vector<double> values(frontier.value.front().size(), kNan);
  if (above == order.end() || (above == order.begin() && frontier.cost[*above] != cost)) return values;
  if (frontier.cost[*above] == cost) return frontier.value[*above];

  const std::size_t near = *std::prev(above);
  const std::size_t far = *above;
  const double t = std::log(cost / frontier.cost[near]) / std::log(frontier.cost[far] / frontier.cost[near]);
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = between(frontier.value[near][row], frontier.value[far][row], t);
  return values;
}

PairedComparison compare_rows(const std::vector<double>& first, const std::vector<double>& second,
                              const std::vector<RowPlace>& places, double confidence) {
  LACUNA_ASSERT(first.size() == second.size() && first.size() == places.size());
  std::vector<RowPlace> common;
  std::vector<double> difference;
  std::vector<double> lower;
  for (std::size_t row = 0; row < first.size(); ++row) {
    if (std::isnan(first[row]) || std::isnan(second[row])) continue;
    common.push_back(places[row]);
    difference.push_back(first[row] - second[row]);
    lower.push_back(first[row] < second[row] ? 1 : first[row] == second[row] ? 0.5 : 0);
  }
  return {correlated_mean(sum_per_position(common, difference), confidence),
          correlated_rate(common, lower, confidence)};
}

}  // namespace lacuna
