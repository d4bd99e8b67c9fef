#include "experiments/cache_cost/reductions.hpp"

#include <algorithm>
#include <functional>

#include "core/base/text_table.hpp"

namespace lacuna {
namespace {

struct Term {
  const char* name;
  std::function<double(const ArchitectureCosts&, const ContextCosts&)> value;
};

double held(const ContextCosts& at, TensorKind kind) { return at.held[kind].total.value(); }

double read(const ContextCosts& at, TensorKind kind) { return at.read[kind].total.value(); }

const std::vector<Term>& terms() {
  using enum TensorKind;
  using Costs = ArchitectureCosts;
  static const std::vector<Term> all = {
      {"main B/token", [](const Costs& costs, const ContextCosts&) { return costs.per_token[main].total.value(); }},
      {"index B/token", [](const Costs& costs, const ContextCosts&) { return costs.per_token[index].total.value(); }},
      {"window+state", [](const Costs&, const ContextCosts& at) { return held(at, local) + held(at, state); }},
      {"main read", [](const Costs&, const ContextCosts& at) { return read(at, main); }},
      {"index read", [](const Costs&, const ContextCosts& at) { return read(at, index); }},
      {"keys scored",
       [](const Costs&, const ContextCosts& at) { return static_cast<double>(at.scored.main + at.scored.local); }},
      {"index keys", [](const Costs&, const ContextCosts& at) { return static_cast<double>(at.scored.index); }},
      {"FLOP/token", [](const Costs&, const ContextCosts& at) { return at.operations.total().value(); }},
      {"layer-tokens",
       [](const Costs&, const ContextCosts& at) { return static_cast<double>(at.prefill_layer_tokens); }},
  };
  return all;
}

std::string multiple(double value, double other) {
  if (value == other) return "=";
  if (other == 0) return "new";
  if (value == 0) return "gone";
  return fmt::format("x {:.4g}", value / other);
}

}  // namespace

std::string format_reductions(const std::vector<ArchitectureCosts>& costs, std::size_t at) {
  std::vector<std::vector<std::string>> lines = {{"architecture", "against"}};
  for (const Term& term : terms()) lines.front().emplace_back(term.name);
  for (const ArchitectureCosts& one : costs) {
    const std::string& name = one.architecture->against;
    if (name.empty()) continue;
    const auto other = std::ranges::find(costs, name, [](const auto& entry) { return entry.architecture->name; });
    LACUNA_ASSERT(other != costs.end());
    lines.push_back({one.architecture->name, name});
    for (const Term& term : terms())
      lines.back().push_back(multiple(term.value(one, one.contexts[at]), term.value(*other, other->contexts[at])));
  }
  return lines.size() == 1 ? "" : text_table(lines, 2);
}

}  // namespace lacuna
