// cache_cost PARAMS.toml: bytes, positions scored and operations of described models, as functions of the context.
#include <fmt/format.h>

#include <iostream>

#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "experiments/cache_cost/parameters.hpp"
#include "experiments/cache_cost/run.hpp"
#include "experiments/harness/main_guard.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "cache_cost", "What does a model's cache cost to keep and to read, as the context grows?",
        {lacuna::print_cost_defaults, lacuna::cost_json_schema, "architecture.v41.store=v4_main_row"}, argc, argv);
    if (!line) return 0;
    const std::filesystem::path file = lacuna::run_cache_cost(*line, argc, argv);
    if (file.empty()) return 0;
    const lacuna::Summary summary = lacuna::summarize(file);
    std::cout << lacuna::format_summary(summary, lacuna::TableStyle::brief)
              << fmt::format("results: {}\n", file.string());
    return summary.sound() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
