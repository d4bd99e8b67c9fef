// compare_results A B: did results change?
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>

#include "analysis/compare/compare_results.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/command_pages.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/provenance.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    CLI::App app(
        "Do two results files hold the same? Numbers within the tolerances, everything else exactly. Exit code 0: the "
        "same, 1: they differ, 2: usage, 3: not a results file.",
        "compare_results");
    std::string a;
    std::string b;
    lacuna::ComparisonOptions options;
    app.add_option("A", a, "A results file, the baseline say.");
    app.add_option("B", b, "The one to compare with it.");
    app.add_option("--rtol", options.tolerance.relative, "Allowed difference over the larger of the two numbers.")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--atol", options.tolerance.absolute, "Allowed difference, added to that of --rtol.")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--ignore", options.ignore,
                   "Datasets and attributes of these names, or everything at or below these paths (/path/top_k).");
    app.set_version_flag("--version", lacuna::version_text());
    lacuna::add_page_flags(app);
    if (!lacuna::parse_flags(app, argc, argv) || lacuna::print_pages(app, {})) return 0;
    if (a.empty() || b.empty())
      throw lacuna::UsageError("compare_results: two results files are needed\nSee compare_results --help.");
    for (const double tolerance : {options.tolerance.relative, options.tolerance.absolute})
      if (std::isnan(tolerance)) throw lacuna::UsageError("compare_results: a tolerance is a number, not nan");
    const lacuna::Comparison comparison = lacuna::compare_results(a, b, options);
    for (const std::string& difference : comparison.differences) std::cout << difference << '\n';
    for (const std::string& place : comparison.not_compared) std::cout << "not compared: " << place << '\n';
    std::cout << fmt::format("{}: {} differences in {} datasets, {} values, rtol {}, atol {}{}\n",
                             comparison.equal() ? "equal" : "DIFFERENT", comparison.differences.size(),
                             comparison.datasets, comparison.values, options.tolerance.relative,
                             options.tolerance.absolute,
                             comparison.ignored > 0 ? fmt::format("; {} datasets ignored", comparison.ignored) : "");
    if (!comparison.not_compared.empty())
      std::cout << fmt::format("{} of a type that results files do not hold: not compared\n",
                               comparison.not_compared.size());
    return comparison.equal() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
