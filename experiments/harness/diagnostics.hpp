// The errors of a parameter file, collected so that all are reported at once, compiler style.
#pragma once

#include <compare>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.hpp"

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

  /// `code`: `input` or `environment` where the fault is in what a value names.
  void error(const Position& at, std::string message, ExitCode code = ExitCode::usage);
  std::size_t count() const { return errors_.size(); }
  /// "params.toml:12:9: error: ..." and "--set:2: error: ..."; the file's first, each in order of position, each once.
  std::string text() const;
  /// Unless there is no error, throws one with text(): a UsageError, or a LocatedError where no fault is the parameter
  /// file's own.
  void throw_if_any() const;

 private:
  std::string file_;
  std::set<std::pair<Position, std::string>> errors_;
  ExitCode code_ = ExitCode::environment;  ///< the least of theirs
};

/// What a parameter file names has a fault: its text is complete, "params.toml:12:9: error: ...".
struct LocatedError : Error {
  using Error::Error;
};

/// One line of such a report.
std::string error_line(const std::string& file, const Position& at, const std::string& message);

}  // namespace lacuna
