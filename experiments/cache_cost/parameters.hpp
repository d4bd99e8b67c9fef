// The parameter tables of cache_cost: [cost] and [[architecture]].
#pragma once

#include <string>

#include "experiments/harness/parameter_table.hpp"

namespace lacuna {

/// context.
ParameterTable cost_table();
/// name, preset, how rows are stored, and what is changed about the preset.
ParameterTable architecture_table();

/// Every parameter of cache_cost with its default, as a commented parameter file.
std::string print_cost_defaults();
/// JSON Schema (draft 2020-12) of a parameter file of cache_cost.
std::string cost_json_schema();

}  // namespace lacuna
