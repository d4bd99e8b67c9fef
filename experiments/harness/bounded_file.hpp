// Reads a file that somebody named on a command line: a directory, a pipe or an endless device is refused, not read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace lacuna {

/// The bytes of a regular file of at most max_bytes. Throws UsageError when the name is not that of such a file, and
/// EnvironmentError when it cannot be opened or read.
std::string read_bounded_file(const std::filesystem::path& file, std::size_t max_bytes);

}  // namespace lacuna
