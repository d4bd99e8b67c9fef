// The experiment: what the caches of described models cost as functions of the context, without allocating any.
#pragma once

#include <filesystem>
#include <string>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

struct CostRun {
  std::filesystem::path file;  ///< of the results; empty for a dry run
  std::string plan;            ///< of a dry run, for a terminal
};

CostRun run_cache_cost(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
