#include "experiments/harness/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna {

std::string error_line(const std::string& file, const Position& at, const std::string& message) {
  if (at.setting > 0) return fmt::format("--set:{}: error: {}", at.setting, message);
  return fmt::format("{}:{}:{}: error: {}", file, at.line, at.column, message);
}

void Diagnostics::error(const Position& at, std::string message, ExitCode code) {
  errors_.emplace(at, std::move(message));
  code_ = std::min(code_, code);
}

std::string Diagnostics::text() const {
  std::string lines;
  for (const auto& [at, message] : errors_) {
    if (!lines.empty()) lines += '\n';
    lines += error_line(file_, at, message);
  }
  return lines;
}

void Diagnostics::throw_if_any() const {
  if (errors_.empty()) return;
  if (code_ == ExitCode::usage) throw UsageError(text());
  throw LocatedError(code_, text());
}

}  // namespace lacuna
