// The page of one results file, written beside it at the end of a run.
#pragma once

#include <filesystem>

namespace lacuna {

/// Writes RESULTS with .html for its extension (numbered -2, -3, ... where it exists; replaced with `force`) and prints
/// its path to stdout. Where that fails a warning on stderr says why: the run and its results stand without it.
void report_beside(const std::filesystem::path& results, bool force);

}  // namespace lacuna
