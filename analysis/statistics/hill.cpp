#include "analysis/statistics/hill.hpp"

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/error.hpp"

namespace lacuna {

std::int64_t hill_tail_size(std::int64_t n) {
  return static_cast<std::int64_t>(std::floor(std::sqrt(static_cast<double>(n))));
}

Estimate hill_tail_index(std::vector<double> values, std::int64_t k, double confidence) {
  LACUNA_ASSERT(k >= 1);
  std::erase_if(values, [](double x) { return !(x > 0) || std::isinf(x); });
  if (static_cast<std::int64_t>(values.size()) <= k) return {};
  std::nth_element(values.begin(), values.begin() + k, values.end(), std::greater<>());
  const double threshold = values[static_cast<std::size_t>(k)];
  double sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += std::log(values[static_cast<std::size_t>(i)] / threshold);
  if (sum == 0) return {};
  const double alpha = static_cast<double>(k) / sum;
  const boost::math::chi_squared law(2 * static_cast<double>(k));
  const double tail = (1 - confidence) / 2;
  const double scale = alpha / (2 * static_cast<double>(k));
  return {alpha, {scale * boost::math::quantile(law, tail), scale * boost::math::quantile(complement(law, tail))}};
}

}  // namespace lacuna
