// [[sweep.zip]] keys = [...]: swept values that walk together instead of being multiplied.
#pragma once

#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/study_draft.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// Reads the zips into the drafts that they belong to. Full keys: "path.pool.pool.blocks", "source.n". The keys of one
/// zip belong to one owner, are swept, have lists of equal length, and stand in no other zip.
void read_zips(const TomlEntry& sweep, StudyDraft& draft, Diagnostics& diagnostics);

}  // namespace lacuna
