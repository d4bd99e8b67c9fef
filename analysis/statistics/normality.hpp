// How far values are from a normal distribution. With u_i = PHI((x_(i) - mean) / deviation), x_(1) <= ... <= x_(n),
//
//   Kolmogorov-Smirnov   D   = max_i max(i/n - u_i, u_i - (i-1)/n)                                                 (1)
//   Anderson-Darling     A^2 = -n - 1/n sum_i (2i - 1) (ln u_i + ln(1 - u_(n+1-i)))                                (2)
//
// D is largest where the middle differs; A^2 weighs the tails.
#pragma once

#include <span>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// (1) against the normal distribution with this mean and deviation; NaN when empty or deviation is not above 0.
double kolmogorov_smirnov_statistic(std::span<const double> values, double mean, double deviation);

/// P(D >= statistic) for n independent values of exactly that distribution, in the limit of many (n >= 35, say); mean
/// and deviation that were estimated from the values make it too large. NaN with a Boost older than 1.75.
double kolmogorov_smirnov_p_value(double statistic, double n);

/// (2), likewise.
double anderson_darling_statistic(std::span<const double> values, double mean, double deviation);

/// P(A^2 >= statistic) for n independent normal values whose mean and deviation (n - 1) were estimated from them, n >=
/// 8: D'Agostino, Stephens: Goodness-of-Fit Techniques, 1986, table 4.9, with A^2 (1 + 0.75/n + 2.25/n^2).
double anderson_darling_p_value(double statistic, double n);

}  // namespace lacuna
