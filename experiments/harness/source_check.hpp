// Legal values of a source that do not go together.
#pragma once

#include <string>

#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/parameter_set.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// Reports every fault that the kind finds in a cell of the swept source, once, at its key in `set`.
void check_source_cells(const ParameterSet& set, const std::string& kind, const Sweep& source,
                        Diagnostics& diagnostics);

}  // namespace lacuna
