#include "experiments/harness/source_check.hpp"

#include "data/problem_source.hpp"
#include "experiments/harness/draft_tables.hpp"

namespace lacuna {

OwnerDraft read_source(const TomlNode::Table& root, const std::string& only, Diagnostics& diagnostics) {
  ParameterTable table = source_table(only.empty() ? text_at(root, "source.kind") : only);
  if (!only.empty()) table.specs.front().choices = {only};
  OwnerDraft source;
  source.address = "source";
  const std::size_t errors = diagnostics.count();
  source.set = read_table(root, "source", table, diagnostics);
  source.sound = diagnostics.count() == errors;
  return source;
}

void check_source_cells(const ParameterPlaces& places, const std::string& kind, const Sweep& source,
                        Diagnostics& diagnostics) {
  const SourceKind* found = SourceRegistry::instance().find(kind);
  if (found == nullptr || !found->check) return;
  for (const Parameters& cell : source.cells) places.report("source", found->check(cell), diagnostics);
}

}  // namespace lacuna
