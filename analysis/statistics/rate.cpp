#include "analysis/statistics/rate.hpp"

#include <boost/math/distributions/beta.hpp>

#include "core/base/error.hpp"

namespace lacuna {

Estimate clopper_pearson(double x, double n, double confidence) {
  LACUNA_ASSERT(x >= 0 && x <= n);
  Estimate result{n > 0 ? x / n : std::numeric_limits<double>::quiet_NaN(), {0, 1}};
  const double tail = (1 - confidence) / 2;
  if (x > 0) result.interval.low = boost::math::quantile(boost::math::beta_distribution<>(x, n - x + 1), tail);
  if (x < n)
    result.interval.high = boost::math::quantile(complement(boost::math::beta_distribution<>(x + 1, n - x), tail));
  return result;
}

}  // namespace lacuna
