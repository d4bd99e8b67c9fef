#include "experiments/replay_error/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text_table.hpp"
#include "experiments/model_divergence/report.hpp"

namespace lacuna {
namespace {

/// The value of nearest rank.
double median(std::vector<double> values) {
  const auto middle = values.begin() + (static_cast<std::ptrdiff_t>(values.size()) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<std::string> line_of(const ReplaySummary& replay) {
  return {
      replay.name,
      fmt::format("{:.3g}", median(replay.last_error)),
      fmt::format("{:.4f}", static_cast<double>(replay.exact_states) / static_cast<double>(replay.states)),
      fmt::format("{:.3g}", median(replay.kl)),
      fmt::format("{:.3g}", *std::ranges::max_element(replay.kl)),
      fmt::format("{:.4f}", static_cast<double>(replay.agreeing) / static_cast<double>(replay.kl.size())),
      fmt::format("{}", replay.layer_tokens),
      fmt::format("{:.4f}", static_cast<double>(replay.layer_tokens) / static_cast<double>(replay.full_layer_tokens))};
}

}  // namespace

void ReplaySummary::add(const ReplayOutcome& outcome, const std::vector<Index>& exact_greedy) {
  last_error.push_back(outcome.hidden.back().back().relative);
  for (const std::vector<HiddenError>& layer : outcome.hidden)
    for (const HiddenError& error : layer) {
      ++states;
      exact_states += error.is_zero ? 1 : 0;
    }
  for (const NextTokenError& error : outcome.next_token) kl.push_back(error.kl_exact_approx);
  for (std::size_t step = 0; step < exact_greedy.size(); ++step)
    agreeing += outcome.greedy[step] == exact_greedy[step] ? 1 : 0;
  layer_tokens += outcome.layer_tokens;
  full_layer_tokens += outcome.plan.tokens * static_cast<Index>(outcome.plan.layers.size());
  changed += outcome.global_rows_unchanged ? 0 : 1;
  miscounted += outcome.layer_tokens == outcome.layer_tokens_formula ? 0 : 1;
}

std::string replay_name(const ReplayStudy& study, Index source_cell, const ReplayCell& cell) {
  std::string name = cell.variant->name;
  if (cell.variant->from_hit) name += fmt::format(" P={}", cell.extents.hit);
  return cell_name(name + fmt::format(" R={}", cell.extents.length), study.source, source_cell, {}, 0);
}

std::string format_replays(const std::vector<ReplaySummary>& replays) {
  std::vector<std::vector<std::string>> lines = {{"replay", "last hidden", "states exact", "KL median", "KL max",
                                                  "greedy agrees", "layer-tokens", "of a full prefill"}};
  for (const ReplaySummary& replay : replays) lines.push_back(line_of(replay));
  return text_table(lines, 1);
}

}  // namespace lacuna
