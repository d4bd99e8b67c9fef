// The experiment: what the caches of described models cost as functions of the context, without allocating any.
#pragma once

#include <filesystem>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

/// Runs the study and returns the results file; empty for a dry run.
std::filesystem::path run_cache_cost(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
