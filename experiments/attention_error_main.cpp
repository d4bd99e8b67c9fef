// attention_error PARAMS.toml: one attention at a time, approximate paths beside the exact reference.
#include <fmt/format.h>

#include <iostream>

#include "analysis/report/report_beside.hpp"
#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "experiments/attention_error/run.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/study.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "attention_error", "How much attention mass does a path omit, and what does that do to the output?",
        {lacuna::print_defaults, lacuna::json_schema, "path.top_k.select.k=64"}, argc, argv);
    if (!line) return 0;
    const std::filesystem::path file = lacuna::run_attention_error(*line, argc, argv);
    if (file.empty()) return 0;
    const lacuna::Summary summary = lacuna::summarize(file);
    std::cout << lacuna::format_summary(summary, lacuna::TableStyle::brief)
              << fmt::format("results: {}\n", file.string()) << std::flush;
    if (line->report) lacuna::report_beside(file, line->force);
    return summary.sound() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
