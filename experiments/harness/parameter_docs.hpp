// Parts of a parameter file that says what every parameter is.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna {

/// Values for parameters that have no default, so that a file of defaults is one that runs.
using ExampleValues = std::map<std::string, ParameterValue, std::less<>>;

/// Appends the parameters of one table, or of one sub-table of it: a sentence, the facts, and the example or the
/// default, commented out where there is neither.
void print_parameters(std::string& text, const std::vector<ParameterSpec>& specs, std::string_view subtable,
                      const ExampleValues& examples = {});

}  // namespace lacuna
