// The mean of independent values, with Student's interval and with one that follows skewness.
//
// Student: mean -+ t_{n-1} s / sqrt(n), exact for normal values. BCa (Efron: Better bootstrap confidence intervals,
// JASA 82, 1987): with B resampled means of distribution function G,
//
//   z_0 = PHI^-1 (G(mean)) ,   a = sum (x - mean)^3 / (6 (sum (x - mean)^2)^(3/2))                                 (1)
//   ends = G^-1 (PHI(z_0 + (z_0 -+ z) / (1 - a (z_0 -+ z)))) ,   z = PHI^-1((1 + confidence) / 2)                  (2)
//
// (1) is the jackknife's acceleration, in closed form for a mean. Resampling understates the variance by (n - 1) / n,
// so that at n = 50 the interval holds in about 94 % of normal samples.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// NaN when empty.
double mean(std::span<const double> values);

/// Mean and Student's interval; no interval below two values.
Estimate student_mean(std::span<const double> values, double confidence = kConfidence);

/// Mean and BCa interval from `resamples` draws of a counter-based generator: the same values give the same interval.
/// No interval below two values; equal values give one of width 0.
Estimate bca_mean(std::span<const double> values, double confidence = kConfidence, std::int64_t resamples = 2000,
                  std::uint64_t seed = 1);

}  // namespace lacuna
