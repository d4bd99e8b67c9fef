// summarize_results FILE...: what results files say, as tables with intervals.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <iostream>
#include <map>

#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/command_pages.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/provenance.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    CLI::App app("What do results files say? A line per path and swept value, with 95 % intervals.",
                 "summarize_results");
    std::vector<std::string> files;
    std::vector<std::string> by;
    std::string format = "text";
    std::string against;
    bool wide = false;
    app.add_option("FILE", files, "Results files of any experiment.");
    app.add_option("--format", format, "text, csv (all digits, intervals as columns) or markdown.")
        ->check(CLI::IsMember({"text", "csv", "markdown"}))
        ->capture_default_str();
    app.add_option("--by", by, "A line for each label of these dimensions: sequence, layer, head, query, ...")
        ->delimiter(',');
    app.add_option("--against", against,
                   "A path, or one of its swept values as top_k:select_k=64: also its differences from every other "
                   "path, row by row, at as many keys read where several values are swept.")
        ->check(CLI::Validator([](std::string& name) { return name.empty() ? "it is empty" : std::string(); }, "NAME"));
    app.add_flag("--wide", wide, "Text with all columns, each line as long as that takes.");
    app.set_version_flag("--version", lacuna::version_text());
    app.footer(
        "Examples:\n"
        "  summarize_results results/quickstart.h5 --by layer\n"
        "  summarize_results results/quickstart.h5 --against top_k\n"
        "  summarize_results results/quickstart.h5 --format csv > quickstart.csv");
    lacuna::add_page_flags(app);
    if (!lacuna::parse_flags(app, argc, argv) || lacuna::print_pages(app, {})) return 0;
    if (files.empty())
      throw lacuna::UsageError("summarize_results: a results file is needed\nSee summarize_results --help.");

    const std::map<std::string, lacuna::TableStyle> styles = {
        {"text", wide ? lacuna::TableStyle::wide : lacuna::TableStyle::text},
        {"csv", lacuna::TableStyle::csv},
        {"markdown", lacuna::TableStyle::markdown}};
    bool sound = true;
    for (const std::string& file : files) {
      const lacuna::Summary summary = lacuna::summarize(file, by, against);
      if (files.size() > 1) std::cout << fmt::format("{}{}\n", format == "csv" ? "# " : "", file);
      std::cout << lacuna::format_summary(summary, styles.at(format)) << (files.size() > 1 ? "\n" : "");
      sound = sound && summary.sound();
    }
    return sound ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
