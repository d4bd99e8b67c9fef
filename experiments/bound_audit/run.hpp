// The experiment: are the bounds true, and how tight? An adversarial search for the worst instance of every bound and
// certificate, and the rate at which probabilistic guarantees are false.
#pragma once

#include <filesystem>

#include "experiments/harness/command_line.hpp"

namespace lacuna {

/// Runs the study and returns the results file; empty for a dry run. A unit of work is a bound, certificate or
/// guarantee.
std::filesystem::path run_bound_audit(const CommandLine& line, int argc, char** argv);

}  // namespace lacuna
