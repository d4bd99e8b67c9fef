// An estimate and the interval in which the estimated lies.
#pragma once

#include <limits>

namespace lacuna {

/// Confidence of every interval unless another is asked for.
inline constexpr double kConfidence = 0.95;

/// NaN where there are too few values for an interval; an end may be infinite.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  Interval interval;
};

}  // namespace lacuna
