// /provenance of a results file, and the root attributes that every experiment shares.
#pragma once

#include <string>

#include "experiments/harness/provenance.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

struct RunFacts {
  int argc = 0;
  char** argv = nullptr;
  int threads = 1;
  std::string started;  ///< UTC
};

/// `input_sha256` of what was read beside the parameter file; "" where nothing was.
void record_provenance(ResultsFile& file, const StudyRecord& study, const std::string& input_sha256,
                       const RunFacts& run);

}  // namespace lacuna
