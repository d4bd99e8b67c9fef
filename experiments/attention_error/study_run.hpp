// A study's rows, measured unit by unit and recorded.
#pragma once

#include <memory>
#include <vector>

#include "experiments/attention_error/recording.hpp"
#include "experiments/harness/command_line.hpp"

namespace lacuna {

/// What is measured, and with what.
struct StudyTask {
  const Study& study;
  const CommandLine& line;
  const std::vector<std::unique_ptr<ProblemSource>>& sources;  // [source cell]
  const SourceShape& shape;
  const std::vector<PathPlan>& plans;
  const std::vector<std::vector<std::int64_t>>& coordinates;
  const kernels::Backend& backend;
};

/// Measures what the journal does not hold already. A unit of work is a layer of a sequence, or the sequence where
/// layers read what earlier ones selected.
void run_study(const StudyTask& task, ResultsFile& file, Recording& recording);

}  // namespace lacuna
