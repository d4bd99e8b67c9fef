// Where a result came from: the program, its build, and the run.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lacuna {

/// "lacuna 0.1.0 (revision ..., metric version 1)"
std::string version_text();

/// What the bits may depend on: revision, metric version, compiler, flags, library versions, SIMD.
std::vector<std::pair<std::string, std::string>> build_facts();

/// What they may not: host, user-visible times are added by the caller.
std::vector<std::pair<std::string, std::string>> host_facts();

/// UTC, "2026-01-31T23:59:59Z"
std::string utc_now();

}  // namespace lacuna
