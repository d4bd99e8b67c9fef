// The errors of a parameter file, collected so that all are reported at once, compiler style.
#pragma once

#include <compare>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

namespace lacuna {

/// A place in the parameter file, or in a --set argument.
struct Position {
  int setting = 0;  ///< number of the --set argument, from 1; 0 for the file
  int line = 1;
  int column = 1;
  auto operator<=>(const Position&) const = default;
};

class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  void error(const Position& at, std::string message) { errors_.emplace(at, std::move(message)); }
  std::size_t count() const { return errors_.size(); }
  /// "params.toml:12:9: error: ..." and "--set:2: error: ..."; the file's first, each in order of position, each once.
  std::string text() const;
  /// Throws UsageError with text() unless there is no error.
  void throw_if_any() const;

 private:
  std::string file_;
  std::set<std::pair<Position, std::string>> errors_;
};

/// One line of such a report.
std::string error_line(const std::string& file, const Position& at, const std::string& message);

}  // namespace lacuna
