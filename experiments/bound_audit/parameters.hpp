// The parameter table [audit] of bound_audit.
#pragma once

#include <string>

#include "experiments/harness/parameter_table.hpp"

namespace lacuna {

/// claims, cases, steps, keys, channels; trials, sample, left_out, probability, confidence.
ParameterTable audit_table();

/// Every parameter of bound_audit with its default, as a commented parameter file.
std::string print_audit_defaults();
/// JSON Schema (draft 2020-12) of a parameter file of bound_audit.
std::string audit_json_schema();

}  // namespace lacuna
