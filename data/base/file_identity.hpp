// One state of a file: what is opened now and read later is the same file, or is refused.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lacuna {

/// What tells one state of a file from the next.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// Of a regular file. InputError where there is none of that name, EnvironmentError where it cannot be asked.
FileIdentity identify(const std::filesystem::path& file);

/// InputError where the file is no longer in that state.
void check_unchanged(const std::filesystem::path& file, const FileIdentity& opened);

}  // namespace lacuna
