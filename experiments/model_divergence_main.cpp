// model_divergence PARAMS.toml: a whole decoder beside its approximations, up to the next-token distribution.
#include <fmt/format.h>

#include <iostream>

#include "analysis/report/report_beside.hpp"
#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/model_divergence/run.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "model_divergence", "What of an approximation reaches a decoder's next-token distribution?",
        {lacuna::print_defaults, lacuna::json_schema, "path.select.select.k=32"}, argc, argv);
    if (!line) return 0;
    const lacuna::DivergenceRun run = lacuna::run_model_divergence(*line, argc, argv);
    std::cout << run.plan;
    if (run.file.empty()) return 0;
    const lacuna::Summary summary = lacuna::summarize(run.file);
    std::cout << lacuna::format_summary(summary, lacuna::TableStyle::brief)
              << fmt::format("results: {}\n", run.file.string()) << std::flush;
    if (line->report) lacuna::report_beside(run.file, line->force);
    return summary.sound() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
