// cache_cost PARAMS.toml: bytes, positions scored and operations of described models, as functions of the context.
#include "analysis/present_results.hpp"
#include "experiments/cache_cost/parameters.hpp"
#include "experiments/cache_cost/run.hpp"
#include "experiments/harness/main_guard.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "cache_cost", "What does a model's cache cost to keep and to read, as the context grows?",
        {lacuna::print_cost_defaults, lacuna::cost_json_schema, "architecture.v41.store=v4_main_row"}, argc, argv);
    if (!line) return 0;
    return lacuna::present_results(lacuna::run_cache_cost(*line, argc, argv), line->report, line->force);
  });
}
