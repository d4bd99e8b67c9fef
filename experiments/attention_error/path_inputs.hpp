// What paths over a source need before they run: a backend, and what their stages read from outside.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/problem_source.hpp"
#include "experiments/attention_error/cells.hpp"

namespace lacuna {

/// The parameter file and the selections of the user's that paths read; what a source reads, the source knows.
std::vector<std::string> files_of(const Study& study);

/// SHA-256 of the selections of the user's that paths read, in the order of the study; "" for what cannot be read
/// (whoever loads it says so).
std::vector<std::string> selection_sha256(const Study& study);

/// --backend. EnvironmentError where there is none.
const kernels::Backend& choose_backend(const std::string& name);

/// What the cells' stages read from outside, for one sequence and layer; [path][cell].
std::vector<std::vector<std::shared_ptr<const StageInput>>> load_inputs(const std::vector<PathPlan>& plans,
                                                                        const StageContext& context);

}  // namespace lacuna
