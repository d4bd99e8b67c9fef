// The experiment: a whole decoder beside its approximations on token sequences. What of an approximation reaches the
// next-token distribution?
//
// The exact run and every approximate run (a path's cell and trial) go through the layers side by side. Each run has
// hidden states and caches of its own, made from its own inputs, so that an error of one layer is what the next layers
// work with; what the ruler says of a judged row is about that row alone, given those inputs.
#pragma once

#include <filesystem>
#include <string>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

struct DivergenceRun {
  std::filesystem::path file;  ///< of the results; empty for a dry run
  std::string plan;            ///< of a dry run, for a terminal
};

DivergenceRun run_model_divergence(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
