// Whether paths suit the sources that a study has opened.
#pragma once

#include <string>
#include <vector>

#include "data/problem_source.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// The stages of every path must suit every source cell, change something in it, and "layers" and "heads" name labels
/// that it has. `shapes` and the positions of the last queries that are answered, `last_query`: [source cells]. Throws
/// UsageError with every fault, each at its parameter.
void check_paths(const Study& study, const std::vector<SourceShape>& shapes, const std::vector<Index>& last_query);

/// What whoever wrote the paths may want to know: a budget that no source cell exceeds limits nothing.
std::vector<std::string> path_notes(const Study& study, const std::vector<SourceShape>& shapes);

}  // namespace lacuna
