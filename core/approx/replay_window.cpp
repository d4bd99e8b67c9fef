#include "core/approx/replay_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/approx/path.hpp"

namespace lacuna {
namespace {

Index start_of(const Parameters& path) {
  const Index prefix = path.integer("replay.prefix");
  return prefix - std::min(prefix, path.integer("replay.length"));
}

/// Whether a layer keeps its windows.
bool is_before(const Parameters& path, Index label) {
  return path.has("replay.from_layer") && label < path.integer("replay.from_layer");
}

}  // namespace

ReplayWindow::ReplayWindow(const Parameters& path, Index label) {
  if (wanted(path) && !is_before(path, label)) start_ = start_of(path);
}

Index ReplayWindow::absent(const SeenRows& seen, Index position) const {
  return position < start_ ? 0 : std::clamp<Index>(start_ - seen.local_begin, 0, seen.local);
}

AttentionProblem ReplayWindow::cut(AttentionProblem problem) const {
  problem.local.barrier = start_;
  return problem;
}

std::vector<ParameterSpec> replay_parameters() {
  using enum ParameterType;
  constexpr double kLongest = 1 << 24;
  return {
      {.key = "replay.prefix",
       .type = integer,
       .unit = "tokens",
       .minimum = 1,
       .maximum = kLongest,
       .required = true,
       .sweepable = false,
       .sentence = "Tokens behind which local rows are lost; cached rows stay."},
      {.key = "replay.length",
       .type = integer,
       .unit = "tokens",
       .minimum = 1,
       .maximum = kLongest,
       .required = true,
       .sentence = "Last tokens of the prefix that run again and make their local rows anew; at most all of them."},
      {.key = "replay.from_layer",
       .type = integer,
       .minimum = 0,
       .sweepable = false,
       .sentence = "First layer (its label) that loses its local rows. Unset: every layer does."},
  };
}

std::optional<ParameterFault> check_replay(const Parameters& path) {
  if (!ReplayWindow::wanted(path)) return std::nullopt;
  const Index prefix = path.integer("replay.prefix"), length = path.integer("replay.length");
  if (length <= prefix) return std::nullopt;
  return ParameterFault{"replay.length", fmt::format("more tokens run again than 'prefix' has, which is {}", prefix)};
}

std::optional<ParameterFault> check_replay_of_source(const Parameters& path, bool has_local,
                                                     const std::vector<Index>& layers, Index last_query) {
  if (!ReplayWindow::wanted(path)) return std::nullopt;
  if (!has_local) return ParameterFault{"replay.prefix", "this source has no local rows to lose"};
  const bool loses = std::ranges::any_of(
      layers, [&](Index label) { return covers(path, "layers", label) && !is_before(path, label); });
  if (!loses)
    return ParameterFault{path.has("replay.from_layer") ? "replay.from_layer" : "replay.prefix",
                          "no layer from there on that the path approximates is in the source"};
  if (path.integer("replay.prefix") > last_query)
    return ParameterFault{"replay.prefix",
                          fmt::format("the last query stands at position {}: none lies behind the prefix", last_query)};
  return std::nullopt;
}

}  // namespace lacuna
