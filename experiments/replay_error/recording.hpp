// The results file of replay_error: /exact for the exact run, /replay for the replays.
#pragma once

#include "experiments/harness/results_file.hpp"
#include "experiments/harness/run_group.hpp"
#include "experiments/replay_error/sequence_replays.hpp"

namespace lacuna {

class ReplayRecording {
 public:
  ReplayRecording(ResultsFile& file, const ReplayStudy& study, const ModelSource& source);

  void exact(Index source_cell, Index sequence, const ExactSequence& exact);
  /// `cell` among those of the study.
  void outcome(Index source_cell, Index cell, Index sequence, const ReplayOutcome& outcome,
               const std::vector<Index>& exact_greedy);

 private:
  void describe_exact(RunGroup& group) const;
  void describe_replay(RunGroup& group) const;
  void hidden(Index leading, Index sequence, const ReplayOutcome& outcome);
  void steps(Index leading, Index sequence, const ReplayOutcome& outcome, const std::vector<Index>& exact_greedy);

  Index cells_ = 0;               // of the study
  Index offsets_ = 0;             // extent of `offset`
  std::vector<RunGroup> exact_;   // one
  std::vector<RunGroup> replay_;  // one
};

}  // namespace lacuna
