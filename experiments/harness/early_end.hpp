// What a process that ends before its work is done removes, and says. Thread-safe.
#pragma once

#include <filesystem>
#include <string>

namespace lacuna::early_end {

/// A file that must not stay when the process is ended from outside: NAME.partial.
void remove_at_end(const std::filesystem::path& file);
/// It may stay now. Within `renaming`, which renames or removes it, no one else removes it.
template <class Renaming>
void keep(const std::filesystem::path& file, Renaming&& renaming);

/// What is left of the run, and how to go on: replaces what was said before. "" for nothing.
void set_rest(std::string text);
std::string rest();

/// Removes the files, says "interrupted: <rest>" on stderr, and ends the process at once. Nothing of the C or C++
/// library is waited for: whatever other threads hold, this works.
[[noreturn]] void end_process(int exit_code);

/// "interrupted: nothing was written", or what is left.
std::string interrupted_message();

namespace detail {
void lock();
void forget_and_unlock(const std::filesystem::path& file);
}  // namespace detail

template <class Renaming>
void keep(const std::filesystem::path& file, Renaming&& renaming) {
  struct Unlock {
    const std::filesystem::path& file;
    ~Unlock() { detail::forget_and_unlock(file); }
  };
  detail::lock();
  const Unlock unlock{file};
  renaming();
}

}  // namespace lacuna::early_end
