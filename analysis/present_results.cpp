#include "analysis/present_results.hpp"

#include <fmt/format.h>

#include <iostream>

#include "analysis/report/report_beside.hpp"
#include "analysis/summary.hpp"
#include "core/base/error.hpp"

namespace lacuna {

int present_results(const std::filesystem::path& file, bool report, bool force) {
  if (file.empty()) return 0;
  const Summary summary = summarize(file);
  std::cout << format_summary(summary, TableStyle::brief) << fmt::format("results: {}\n", file.string()) << std::flush;
  if (report) report_beside(file, force);
  return summary.sound() ? 0 : static_cast<int>(ExitCode::bound_violated);
}

}  // namespace lacuna
