// Bounded replay as a stage of a path: local rows that are absent.
//
// Behind a prefix of N tokens the rows that reach over it are kept and the local rows are lost; running the last R
// tokens again makes theirs anew. From the replay's start s = N - min(N, R) on no query reads a local row of an earlier
// token, so that, w the window, the query at i has the local rows of the tokens
//
//   max(s, i - w + 1) .. i   for i >= s ,        i - w + 1 .. i   for i < s, which ran before the loss.        (1)
//
// The window is shorter; no row is zero. Within one layer (1) omits keys like any other stage. In a whole decoder,
// tokens from s on go through the layers that lost rows with these windows, and what they leave there is inexact by
// more than what one layer omits. Tokens before s never see a later one, so one pass over the sequence holds both
// times: its states before s are those of the run before the loss, the others those of the replay and of what is
// decoded behind it (core/model/replay.hpp does the two one after the other, with the same bits). That needs that no
// layer makes cached rows from what the replay makes anew: see experiments/model_divergence/replay_check.hpp.
//
// Sources: core/model/replay_plan.hpp names them. Its variants decoder_first and decoder_after_first are `from_layer`
// the first layer behind the encoder, and the one after it.
#pragma once

#include <optional>
#include <vector>

#include "core/attention/problem.hpp"
#include "core/base/parameter.hpp"

namespace lacuna {

class ReplayWindow {
 public:
  /// From "replay.prefix", "replay.length", "replay.from_layer", for the layer of that label; loses nothing where the
  /// path has no replay or begins behind this layer.
  ReplayWindow(const Parameters& path, Index label);
  static bool wanted(const Parameters& path) { return path.has("replay.prefix"); }

  bool loses_rows() const { return start_ > 0; }
  /// s; 0 where nothing is lost.
  Index start() const { return start_; }
  /// How many of the local rows in `seen` are absent, the oldest ones, for the query at that position.
  Index absent(const SeenRows& seen, Index position) const;
  /// The problem with the windows of (1), and no absent row among what its queries see.
  AttentionProblem cut(AttentionProblem problem) const;

 private:
  Index start_ = 0;
};

/// "replay.prefix", "replay.length", "replay.from_layer".
std::vector<ParameterSpec> replay_parameters();

/// Values that do not go together.
std::optional<ParameterFault> check_replay(const Parameters& path);

/// Why a replay would lose nothing in a source; nullopt where it loses something. `layers` labels, ascending;
/// `last_query` position.
std::optional<ParameterFault> check_replay_of_source(const Parameters& path, bool has_local,
                                                     const std::vector<Index>& layers, Index last_query);

}  // namespace lacuna
