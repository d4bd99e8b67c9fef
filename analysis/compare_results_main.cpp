// compare_results A B: did results change?
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>

#include "analysis/compare/compare_results.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/main_guard.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    CLI::App app(
        "Do two results files hold the same? Numbers within the tolerances, everything else exactly. Exit code 0: the "
        "same, 1: they differ, 2: usage, 3: not a results file.",
        "compare_results");
    std::string a;
    std::string b;
    lacuna::ComparisonOptions options;
    app.add_option("A", a, "A results file, the baseline say.")->required();
    app.add_option("B", b, "The one to compare with it.")->required();
    app.add_option("--rtol", options.tolerance.relative, "Allowed difference over the larger of the two numbers.")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--atol", options.tolerance.absolute, "Allowed difference, added to that of --rtol.")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--ignore", options.ignore,
                   "Datasets and attributes of these names, or everything at or below these paths (/path/top_k).");
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? 0 : static_cast<int>(lacuna::ExitCode::usage);
    }

    for (const double tolerance : {options.tolerance.relative, options.tolerance.absolute})
      if (std::isnan(tolerance)) throw lacuna::UsageError("compare_results: a tolerance is a number, not nan");
    const lacuna::Comparison comparison = lacuna::compare_results(a, b, options);
    for (const std::string& difference : comparison.differences) std::cout << difference << '\n';
    std::cout << fmt::format("{}: {} differences in {} datasets, {} values, rtol {}, atol {}{}\n",
                             comparison.equal() ? "equal" : "DIFFERENT", comparison.differences.size(),
                             comparison.datasets, comparison.values, options.tolerance.relative,
                             options.tolerance.absolute,
                             comparison.ignored > 0 ? fmt::format("; {} datasets ignored", comparison.ignored) : "");
    return comparison.equal() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
