// guarantee_omitted_mass_bernstein: for the mean x̄ and the sample variance V = 1/(m(m-1)) sum_{i<j} (x_i - x_j)^2 of m
// independent weights in [0, 1], with probability 1 - p
//   mu <= x̄ + sqrt( 2 V log(2/p) / m ) + 7 log(2/p) / (3 (m - 1)) .
// Maurer, Pontil, "Empirical Bernstein bounds and sample variance penalization", COLT 2009, theorem 4. Where the
// weights are small beside the largest one it falls as 1/m, and Hoeffding's as 1/sqrt(m).
#include <cmath>
#include <numeric>

#include "core/certificates/guarantee.hpp"

namespace lacuna {
namespace {

double mean_upper(std::span<const double> x, double p) {
  const double m = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / m;
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double variance = squares / (m - 1);
  const double log_p = std::log(2 / p);
  return mean + std::sqrt(2 * variance * log_p / m) + 7 * log_p / (3 * (m - 1));
}

const bool registered = GuaranteeRegistry::instance().add(
    {.name = "guarantee_omitted_mass_bernstein",
     .long_name = "upper bound on omitted_mass from sampled scores by the empirical Bernstein inequality",
     .mean_upper = mean_upper});

}  // namespace
}  // namespace lacuna
