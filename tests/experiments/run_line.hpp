// The command line of a run in a folder of its own.
#pragma once

#include "experiments/harness/command_line.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna::testing_study {

/// Writes the parameter file; the results go to r.h5 beside it.
inline CommandLine run_line(const Folder& folder, const std::string& text, int threads = 2) {
  CommandLine line;
  line.parameters = folder.write(text);
  line.output = folder.path() / "r.h5";
  line.threads = threads;
  line.force = true;
  line.quiet = true;
  return line;
}

}  // namespace lacuna::testing_study
