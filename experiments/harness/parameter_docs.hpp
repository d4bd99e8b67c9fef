// Parts of a parameter file that says what every parameter is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna {

/// Appends the parameters of one table, or of one sub-table of it: a sentence, the facts, and the default, commented
/// out where there is none.
void print_parameters(std::string& text, const std::vector<ParameterSpec>& specs, std::string_view subtable);

}  // namespace lacuna
