// Faults as types: who caused it decides the exit code and who reads the message.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace lacuna {

/// Exit codes of every binary of the project.
enum class ExitCode : int {
  ok = 0,
  bound_violated = 1,  ///< a bound was violated, a cell failed, or a regression test failed
  usage = 2,           ///< command line or parameter file
  input = 3,           ///< input data: traces, selections
  environment = 4,     ///< files, disks, devices, missing packages
  internal = 5,        ///< our bug
  interrupted = 130,
  terminated = 143,
};

/// A fault with an exit code. The message names the file, key, dataset or row.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};
struct InputError : Error {
  explicit InputError(const std::string& message) : Error(ExitCode::input, message) {}
};
struct EnvironmentError : Error {
  explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
};
struct InternalError : Error {
  explicit InternalError(const std::string& message) : Error(ExitCode::internal, message) {}
};

}  // namespace lacuna

/// Our own bug when it fails: never used for what a caller or a file can cause.
#define LACUNA_ASSERT(condition)                                                                                      \
  do {                                                                                                                \
    if (!(condition))                                                                                                 \
      throw ::lacuna::InternalError(fmt::format("{}:{}: internal check failed: {}", __FILE__, __LINE__, #condition)); \
  } while (false)
