// model_divergence PARAMS.toml: a whole decoder beside its approximations, up to the next-token distribution.
#include <fmt/format.h>

#include <iostream>

#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/model_divergence/run.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "model_divergence", "What of an approximation reaches a decoder's next-token distribution?",
        {[] { return lacuna::print_defaults("model_divergence", "model"); }, lacuna::json_schema,
         "path.top_k.select.k=32"},
        argc, argv);
    if (!line) return 0;
    const std::filesystem::path file = lacuna::run_model_divergence(*line, argc, argv);
    if (file.empty()) return 0;
    const lacuna::Summary summary = lacuna::summarize(file);
    std::cout << lacuna::format_summary(summary, lacuna::TableStyle::brief)
              << fmt::format("results: {}\n", file.string());
    return summary.sound() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
