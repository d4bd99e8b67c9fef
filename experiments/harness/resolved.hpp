// What was read of one table, as a study keeps it.
#pragma once

#include <string>
#include <vector>

#include "experiments/harness/parameter_set.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// The parameters that have one value and no fault.
Parameters values_of(const ParameterSet& set);

/// A line for every parameter, its key behind `prefix` ("source.").
void append_resolved(std::vector<ResolvedParameter>& resolved, const std::string& prefix, const ParameterSet& set);

}  // namespace lacuna
