// e^x - 1 - x: the summand of a Kullback-Leibler divergence in the form that is never negative and vanishes with x.
#pragma once

#include <cmath>

namespace lacuna {

/// Below 1e-2 by its series, where the difference would lose the digits.
inline double expm1_minus(double x) {
  if (std::abs(x) < 1e-2) return x * x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x / 720))));
  return std::expm1(x) - x;
}

}  // namespace lacuna
