// cache_cost PARAMS.toml: bytes, positions scored and operations of described models, as functions of the context.
#include <fmt/format.h>

#include <iostream>

#include "analysis/report/report_beside.hpp"
#include "analysis/summary.hpp"
#include "experiments/cache_cost/parameters.hpp"
#include "experiments/cache_cost/run.hpp"
#include "experiments/harness/main_guard.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "cache_cost", "What does a model's cache cost to keep and to read, as the context grows?",
        {lacuna::print_cost_defaults, lacuna::cost_json_schema, "architecture.v41.store=v4_main_row"}, argc, argv);
    if (!line) return 0;
    const lacuna::CostRun run = lacuna::run_cache_cost(*line, argc, argv);
    std::cout << run.plan;
    if (run.file.empty()) return 0;
    std::cout << lacuna::format_summary(lacuna::summarize(run.file), lacuna::TableStyle::brief)
              << fmt::format("results: {}\n", run.file.string()) << std::flush;
    if (line->report) lacuna::report_beside(run.file, line->force);
    return 0;
  });
}
