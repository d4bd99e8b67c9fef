// [source]: what is read of it, and legal values that do not go together.
#pragma once

#include <string>

#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/parameter_places.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/harness/study_draft.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// Reads the table. `only`: the one kind that the program runs; "": any.
OwnerDraft read_source(const TomlNode::Table& root, const std::string& only, Diagnostics& diagnostics);

/// Reports every fault that the kind finds in a cell of the swept source, at its key.
void check_source_cells(const ParameterPlaces& places, const std::string& kind, const Sweep& source,
                        Diagnostics& diagnostics);

}  // namespace lacuna
