// The experiment: one attention at a time on Q/K/V problems. Omitted mass, output error, bounds, divergence and cost of
// every path, per sequence, layer, head and query, beside the exact reference.
#pragma once

#include <filesystem>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

/// Runs the study and returns the results file; empty for a dry run. Rows that violate a bound or failed are in the
/// file's status and do not stop the run.
std::filesystem::path run_attention_error(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
