// report_results FILE...: results files as one self-contained page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <iostream>

#include "analysis/report/page_file.hpp"
#include "analysis/report/report.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/command_pages.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/provenance.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    CLI::App app("One self-contained page from results files: figures, tables, provenance.", "report_results");
    std::vector<std::string> names;
    std::string output;
    bool force = false;
    app.add_option("FILE", names, "Results files, a section each");
    app.add_option("-o,--output", output,
                   "The page; default the first file's name with .html, numbered where it exists");
    app.add_flag("--force", force, "Replace an existing page");
    app.set_version_flag("--version", lacuna::version_text());
    lacuna::add_page_flags(app);
    app.footer(
        "Exit codes: 0 ok, 2 usage, 3 not a results file, 4 environment, 5 internal.\n\n"
        "Examples:\n"
        "  report_results results/quickstart.h5\n"
        "  report_results results/v32.h5 results/v41.h5 -o both.html");
    if (!lacuna::parse_flags(app, argc, argv) || lacuna::print_pages(app, {})) return 0;
    if (names.empty()) throw lacuna::UsageError("report_results: a results file is needed\nSee report_results --help.");
    const std::vector<std::filesystem::path> files(names.begin(), names.end());
    for (const std::filesystem::path& file : files) {
      std::error_code none;
      if (std::filesystem::equivalent(file, output, none))
        throw lacuna::EnvironmentError(fmt::format("{}: the page would replace the results that it shows", output));
    }
    const std::filesystem::path page = lacuna::page_path(files.front(), output, force);
    lacuna::write_page(page, lacuna::make_report(files), force);
    std::cout << fmt::format("report: {}\n", page.string());
    return 0;
  });
}
