#include "experiments/attention_error/cells.hpp"

#include "core/approx/budget.hpp"

namespace lacuna {
namespace {

/// An upper limit of the keys that one row of the cell attends.
Index most_keys(const Parameters& cell, Index keys) {
  if (!cell.has("select.k")) return keys;
  const auto* fraction = std::get_if<double>(&cell.at("select.k"));
  const Index selected = fraction != nullptr ? fraction_of(*fraction, keys) : cell.integer("select.k");
  const Index last_block = cell.has("select.block_size") ? cell.integer("select.block_size") : 0;
  // as differences, since each may be near the largest integer
  if (selected >= keys || last_block >= keys - selected) return keys;
  const Index always = std::min(cell.integer("window"), keys) + std::min(cell.integer("sink_tokens"), keys);
  return std::min(keys, selected + last_block + always);
}

}  // namespace

std::vector<PathPlan> plan_paths(const Study& study, Index keys) {
  std::vector<PathPlan> plans;
  for (const StudyPath& path : study.paths) {
    PathPlan plan;
    plan.study = &path;
    plan.traits = PathTraits::of(path.sweep.cells.front());
    for (const Parameters& cell : path.sweep.cells) {
      // a path limited to some layers or heads is exact in the others
      const bool partly_exact = cell.has("layers") || cell.has("heads");
      plan.slots = std::max(plan.slots, partly_exact ? keys : most_keys(cell, keys));
    }
    // later layers of the path itself may take over a selection or a pool
    plan.spans_layers = plan.traits.uses_indexer || path.sweep.cells.front().has("pool.from_layer");
    plan.published = plan.spans_layers;
    for (const StudyPath& reader : study.paths)
      for (const Parameters& cell : reader.sweep.cells)
        if (cell.has("select.path") && cell.text("select.path") == path.name) {
          plan.published = true;
          plan.spans_layers |= cell.integer("select.layers_back") > 0;
        }
    plans.push_back(plan);
  }
  return plans;
}

}  // namespace lacuna
