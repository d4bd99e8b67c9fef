// The experiment: bounded local replay. How many tokens must be run again to rebuild the windows of a prefix whose
// other rows are kept, and what do fewer cost?
#pragma once

#include <filesystem>
#include <string>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

/// Runs the study and returns the results file; empty for a dry run. A unit of work is a sequence of a source cell.
std::filesystem::path run_replay_error(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
