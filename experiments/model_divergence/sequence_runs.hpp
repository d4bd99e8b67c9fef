// The runs of one sequence: the exact one and those of all paths, layer by layer, side by side.
#pragma once

#include <functional>

#include "experiments/model_divergence/recording.hpp"

namespace lacuna {

/// What the runs of all sequences of a source cell have in common.
struct DivergenceTask {
  const ModelSource* source = nullptr;
  const std::vector<PathPlan>* plans = nullptr;
  const kernels::Backend* backend = nullptr;
  std::uint64_t seed = 0;
  int threads = 1;
  Index source_cell = 0;
  Index compare_from = 0;  ///< position; states and distributions of earlier ones are not recorded
  DivergenceRecording* recording = nullptr;
  std::function<void()> measured;  ///< after each layer of each run
};

void run_sequence(const DivergenceTask& task, Index sequence);

}  // namespace lacuna
