#include "experiments/harness/diagnostics.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace lacuna {

std::string error_line(const std::string& file, const Position& at, const std::string& message) {
  if (at.setting > 0) return fmt::format("--set:{}: error: {}", at.setting, message);
  return fmt::format("{}:{}:{}: error: {}", file, at.line, at.column, message);
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
  if (!errors_.empty()) throw UsageError(text());
}

}  // namespace lacuna
