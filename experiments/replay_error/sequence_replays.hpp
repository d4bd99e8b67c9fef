// The exact run of one sequence, and every replay of a study beside it.
#pragma once

#include <functional>
#include <vector>

#include "core/metrics/model/hidden_error.hpp"
#include "core/metrics/model/next_token.hpp"
#include "core/model/continuation.hpp"
#include "core/model/replay.hpp"
#include "data/source/model.hpp"
#include "experiments/replay_error/replay_study.hpp"

namespace lacuna {

/// The exact run over the prefix, and how the sequence goes on behind it.
struct ExactSequence {
  ExactRun run;               // of the prefix
  ForcedSteps forced;         // [steps]
  std::vector<Index> next;    // [steps] the sequence's own tokens behind the prefix
  std::vector<Index> greedy;  // [steps]
};

/// What came of one replay.
struct ReplayOutcome {
  ReplayPlan plan;
  Index hit = 0;                                 ///< tokens found in the store; 0 of variants without one
  std::vector<Index> exact_from;                 // [layers] position
  std::vector<std::vector<HiddenError>> hidden;  // [layers][offset], of the tokens that ran
  std::vector<NextTokenError> next_token;        // [steps] with the sequence's own tokens
  std::vector<HiddenError> step_hidden;          // [steps] behind the last layer, of the same
  std::vector<Index> greedy;                     // [steps] tokens of the replay's own choice
  Index layer_tokens = 0;              ///< counted where they ran, those of an encoder before the replay among them
  Index layer_tokens_formula = 0;      ///< replay_plan.hpp, equation 3
  bool global_rows_unchanged = false;  ///< those that the replay found, byte for byte

  /// Steps before the first at which the greedy tokens differ.
  Index agreeing_steps(const std::vector<Index>& exact) const;
};

ExactSequence exact_sequence(const ModelSource& source, Index sequence, const ReplayStudy& study, int threads);

/// [cells]; those that are the same as another one are empty. Any number of threads gives the same bits. `measured` is
/// called after each replay, by any thread.
std::vector<ReplayOutcome> replay_sequence(const ModelSource& source, Index sequence, const ReplayStudy& study,
                                           const ExactSequence& exact, int threads,
                                           const std::function<void()>& measured);

}  // namespace lacuna
