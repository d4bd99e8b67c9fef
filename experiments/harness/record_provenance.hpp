// /provenance of a results file, and the root attributes that every experiment shares.
#pragma once

#include <string>

#include "data/problem_source.hpp"
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

void record_provenance(ResultsFile& file, const Study& study, const ProblemSource& source, const RunFacts& run);

}  // namespace lacuna
