#include "analysis/report/report_beside.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "analysis/report/page_file.hpp"
#include "analysis/report/report.hpp"

namespace lacuna {

void report_beside(const std::filesystem::path& results, bool force) {
  try {
    const std::filesystem::path page = page_path(results, "", force);
    write_page(page, make_report({results}), force);
    fmt::print("report: {}\n", page.string());
  } catch (const std::exception& error) {
    fmt::print(stderr, "warning: no report was written: {}\n", error.what());
  }
}

}  // namespace lacuna
