// The parameter table [replay] of replay_error.
#pragma once

#include <string>

#include "experiments/harness/parameter_table.hpp"

namespace lacuna {

/// length, variant, hit, steps.
ParameterTable replay_table();

/// Every parameter of replay_error with its default, as a commented parameter file.
std::string print_replay_defaults();
/// JSON Schema (draft 2020-12) of a parameter file of replay_error.
std::string replay_json_schema();

}  // namespace lacuna
