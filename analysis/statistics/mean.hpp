// The plain mean.
#pragma once

#include <span>

namespace lacuna {

/// NaN when empty.
double mean(std::span<const double> values);

}  // namespace lacuna
