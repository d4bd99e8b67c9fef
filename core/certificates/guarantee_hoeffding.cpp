// guarantee_omitted_mass_hoeffding: for the mean x̄ of m independent weights in [0, 1],
//   P( mu >= x̄ + e ) <= exp(-2 m e^2) ,   so with probability 1 - p   mu <= x̄ + sqrt( log(1/p) / (2m) ) .
// Hoeffding, "Probability inequalities for sums of bounded random variables", J. Amer. Statist. Assoc. 58 (1963),
// theorem 1. It does not look at the spread of the weights: mu is never certified below sqrt(log(1/p) / 2m).
#include <cmath>
#include <numeric>

#include "core/certificates/guarantee.hpp"

namespace lacuna {
namespace {

double mean_upper(std::span<const double> x, double p) {
  const double m = static_cast<double>(x.size());
  return std::accumulate(x.begin(), x.end(), 0.0) / m + std::sqrt(-std::log(p) / (2 * m));
}

const bool registered = GuaranteeRegistry::instance().add(
    {.name = "guarantee_omitted_mass_hoeffding",
     .long_name = "upper bound on omitted_mass from sampled scores by Hoeffding's inequality",
     .mean_upper = mean_upper});

}  // namespace
}  // namespace lacuna
