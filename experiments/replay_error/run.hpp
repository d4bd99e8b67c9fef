// The experiment: bounded local replay. How many tokens must be run again to rebuild the windows of a prefix whose
// other rows are kept, and what do fewer cost?
#pragma once

#include <filesystem>
#include <string>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

struct ReplayRun {
  std::filesystem::path file;  ///< of the results; empty for a dry run
  std::string report;          ///< for a terminal
  bool sound = true;           ///< no row over the prefix was overwritten, and as many tokens ran as the formulas say
};

ReplayRun run_replay_error(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
