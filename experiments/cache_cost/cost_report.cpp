#include "experiments/cache_cost/cost_report.hpp"

#include <algorithm>
#include <array>

#include "experiments/cache_cost/reductions.hpp"
#include "core/base/text_table.hpp"

namespace lacuna {
namespace {

Rational persistent(const CacheBytes& bytes) { return bytes[TensorKind::main].total + bytes[TensorKind::index].total; }

Rational all_kinds(const CacheBytes& bytes) { return bytes.stored() + bytes[TensorKind::routing].total; }

std::vector<std::string> row_of(const ArchitectureCosts& costs, const ContextCosts& at, double first) {
  const double per_token = persistent(costs.per_token).value();
  return {costs.architecture->name,
          fmt::format("{}", per_token),
          per_token > 0 ? fmt::format("{:.3f}", first / per_token) : "-",
          format_bytes(persistent(at.held).value()),
          format_bytes((at.held[TensorKind::local].total + at.held[TensorKind::state].total).value()),
          format_bytes(all_kinds(at.read).value()),
          fmt::format("{}", at.scored.main + at.scored.local),
          fmt::format("{}", at.scored.index),
          fmt::format("{:.4g}", at.operations.total().value()),
          fmt::format("{:.4g}", at.recomputation),
          fmt::format("{}", at.prefill_layer_tokens)};
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 4> units = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= 1000 && unit + 1 < units.size(); bytes /= 1000) ++unit;
  return fmt::format("{:.3f} {}", bytes, units[unit]);
}

std::string format_cost_report(const std::vector<ArchitectureCosts>& costs) {
  const auto& contexts = costs.front().contexts;
  const auto place = std::ranges::max_element(contexts, {}, &ContextCosts::context) - contexts.begin();
  const double first = persistent(costs.front().per_token).value();
  std::vector<std::vector<std::string>> rows = {{"architecture", "B/token", "first/this", "prefix", "window+state",
                                                 "read/token", "keys scored", "index keys", "FLOP/token", "recomputed",
                                                 "prefill layer-tokens"}};
  for (const ArchitectureCosts& architecture : costs)
    rows.push_back(row_of(architecture, architecture.contexts[static_cast<std::size_t>(place)], first));

  std::string text = fmt::format("at {} tokens:\n", contexts[static_cast<std::size_t>(place)].context);
  if (const std::string reductions = format_reductions(costs, static_cast<std::size_t>(place)); !reductions.empty())
    text += reductions + '\n';
  return text + text_table(rows, 1);
}

}  // namespace lacuna
