// The rate of an event, with the interval of Clopper and Pearson (Biometrika 26, 1934): with x events in n trials,
//
//   low = the alpha/2 quantile of beta(x, n - x + 1), 0 at x = 0;
//   high = the 1 - alpha/2 quantile of beta(x + 1, n - x), 1 at x = n.                                             (1)
//
// It holds for every rate with at least the confidence asked for, and usually more: events are whole numbers.
#pragma once

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// x / n and (1); x and n need not be whole (an effective number of trials), 0 <= x <= n. n = 0: NaN and [0, 1].
Estimate clopper_pearson(double x, double n, double confidence = kConfidence);

}  // namespace lacuna
