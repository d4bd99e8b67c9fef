#include "analysis/statistics/quantile.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>

namespace lacuna {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(std::floor(at));
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double below = values[static_cast<std::size_t>(low)];
  const double share = at - std::floor(at);
  if (share == 0) return below;
  const double above = *std::min_element(values.begin() + low + 1, values.end());
  return below == above ? below : below + share * (above - below);
}

QuantileRanks quantile_ranks(std::int64_t n, double q, double confidence) {
  const boost::math::binomial_distribution<> below(static_cast<double>(n), q);
  const double tail = (1 - confidence) / 2;
  // the first integer at which `holds` does, in [0, n + 1], where it holds at n + 1 at the latest
  const auto first = [&](const auto& holds) {
    std::int64_t low = 0;
    std::int64_t high = n + 1;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (holds(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  const auto cdf = [&](std::int64_t count) {  // P(B <= count)
    return count < 0 ? 0.0 : count >= n ? 1.0 : boost::math::cdf(below, static_cast<double>(count));
  };
  const auto survival = [&](std::int64_t count) {  // P(B > count)
    return count < 0 ? 1.0 : count >= n ? 0.0 : boost::math::cdf(complement(below, static_cast<double>(count)));
  };
  QuantileRanks ranks;
  ranks.lower = std::max<std::int64_t>(first([&](std::int64_t l) { return cdf(l - 1) > tail; }) - 1, 0);
  ranks.upper = first([&](std::int64_t u) { return survival(u - 1) <= tail; });
  return ranks;
}

}  // namespace lacuna
