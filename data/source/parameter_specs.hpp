// Parameters of sources that come in kinds.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/parameter.hpp"

namespace lacuna {

/// Counts something, at least 1 and at most 2^20.
ParameterSpec extent(std::string key, std::string unit, std::int64_t value, std::string sentence);
/// A share or a correlation, in [0, 1].
ParameterSpec share(std::string key, double value, std::string sentence);
/// The same, not to be swept.
ParameterSpec fixed(ParameterSpec spec);
/// "score_std", a factor on scores of about unit deviation.
ParameterSpec score_deviation(std::string sentence);

}  // namespace lacuna
