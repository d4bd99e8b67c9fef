// What the tests of results files write, and how they write it where something goes wrong: in a child process.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "experiments/harness/results_file.hpp"

namespace lacuna::testing_results {

using Indices = std::vector<std::int64_t>;

/// Writes [rows, 1000] doubles a row at a time; `after_row` is called after each.
inline std::string write_rows(
    const std::string& file, std::int64_t rows, bool force = false,
    const std::function<void(std::int64_t)>& after_row = [](std::int64_t) {},
    Compression compression = Compression::none, std::int64_t rows_of_chunk = 1) {
  ResultsFile results(file, force, compression);
  ResultsGroup group = results.group("/exact");
  Indices labels(rows);
  for (std::int64_t i = 0; i < rows; ++i) labels[i] = i;
  group.dimension({"row", labels, "1", "row"});
  group.dimension({"column", Indices(1000), "1", "column"});
  ResultsVariable x =
      group.variable({"x", VariableType::f64, {"row", "column"}, "1", "x", {}}, Indices{rows_of_chunk, 1000});
  std::vector<double> values(1000);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(row * 1000) + i);
    x.write(Indices{row, 0}, Indices{1, 1000}, std::span<const double>(values));
    after_row(row);
  }
  return results.finish();
}

/// Runs `work` in a child process and returns its status of waitpid; 99 when it throws.
inline int status_of_child(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int code = 99;
    try {
      code = work();
    } catch (const Error& error) {
      code = static_cast<int>(error.code());
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

inline int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

/// The names in a directory.
inline std::vector<std::string> listing(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

/// Gives the calling process a file system of `kilobytes` at `directory`; false where that is not permitted.
inline bool mount_small_disk(const std::string& directory, int kilobytes) {
  const auto id = ::geteuid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << fmt::format("0 {} 1", id);
  }
  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return ::mount("none", directory.c_str(), "tmpfs", 0, fmt::format("size={}k", kilobytes).c_str()) == 0;
}

}  // namespace lacuna::testing_results
