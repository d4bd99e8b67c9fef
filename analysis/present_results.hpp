// The end of a run: what its results say, where they are, and a page of figures beside them.
#pragma once

#include <filesystem>

namespace lacuna {

/// Prints the brief summary of a results file and its name, and writes the report beside it where asked to (`force`
/// replaces one that is there). Nothing for an empty name, that of a dry run. Returns the exit code: 1 where a bound
/// was violated or a row failed.
int present_results(const std::filesystem::path& file, bool report, bool force);

}  // namespace lacuna
