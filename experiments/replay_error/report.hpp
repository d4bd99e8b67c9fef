// The table at the end of a run: a line per source cell and replay.
#pragma once

#include <string>
#include <vector>

#include "experiments/replay_error/sequence_replays.hpp"

namespace lacuna {

/// What one replay came to, over all sequences.
struct ReplaySummary {
  std::string name;                ///< the variant, its length, and what is swept
  std::vector<double> last_error;  ///< relative hidden error behind the last layer of the last token, per sequence
  Index exact_states = 0;
  Index states = 0;
  std::vector<double> kl;  ///< KL(p || q), per sequence and step
  Index agreeing = 0;      ///< greedy tokens that are those of the exact run
  Index layer_tokens = 0;  ///< over all sequences
  Index full_layer_tokens = 0;
  Index changed = 0;     ///< sequences in which rows over the prefix were overwritten
  Index miscounted = 0;  ///< sequences in which as many tokens ran through layers as the formula does not say

  void add(const ReplayOutcome& outcome, const std::vector<Index>& exact_greedy);
};

/// "decoder_first R=32" and the values of what is swept.
std::string replay_name(const ReplayStudy& study, Index source_cell, const ReplayCell& cell);

std::string format_replays(const std::vector<ReplaySummary>& replays);

}  // namespace lacuna
