// Parameters in words: values as TOML, types and ranges as errors and documentation name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna {

/// As in a parameter file, strings in quotes.
std::string toml_value(const ParameterValue& value);
/// The same of a sweep: "[8, 16, 32]".
std::string toml_values(const std::vector<ParameterValue>& values);

/// "an integer", "a count or a fraction", ...
std::string type_name(ParameterType type);
/// "at least 1", "between 0 and 1", "a count of at least 1 or a fraction in (0, 1]"; empty when anything goes.
std::string range_rule(const ParameterSpec& spec);

/// "max, mean, box".
std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace lacuna
