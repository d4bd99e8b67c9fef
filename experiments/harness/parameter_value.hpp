// One value of a parameter file against one row of the parameter table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/parameter.hpp"
#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// What was given for a parameter.
struct GivenValues {
  std::vector<ParameterValue> values;  ///< one, or those of a sweep
  bool swept = false;
};

/// Reads a plain value, or { grid = [...] } or { powers_of_2 = [first, last] } where the parameter may be swept.
/// Nothing when it is not legal: the errors then name the key, the value and the rule, in `owner` ("[source]").
std::optional<GivenValues> read_values(const TomlEntry& entry, const ParameterSpec& spec, const std::string& owner,
                                       Diagnostics& diagnostics);

}  // namespace lacuna
