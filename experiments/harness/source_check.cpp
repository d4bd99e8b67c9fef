#include "experiments/harness/source_check.hpp"

#include <fmt/format.h>

#include <set>

#include "data/problem_source.hpp"

namespace lacuna {

void check_source_cells(const ParameterSet& set, const std::string& kind, const Sweep& source,
                        Diagnostics& diagnostics) {
  const SourceKind* found = SourceRegistry::instance().find(kind);
  if (found == nullptr || !found->check) return;
  std::set<std::string> told;
  for (const Parameters& cell : source.cells)
    for (const ParameterFault& fault : found->check(cell))
      if (told.insert(fault.key + fault.message).second)
        diagnostics.error(set.position_of(fault.key), fmt::format("in [source]: {}", fault.message));
}

}  // namespace lacuna
