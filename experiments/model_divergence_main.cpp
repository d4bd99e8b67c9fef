// model_divergence PARAMS.toml: a whole decoder beside its approximations, up to the next-token distribution.
#include "analysis/present_results.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/model_divergence/run.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "model_divergence", "What of an approximation reaches a decoder's next-token distribution?",
        {[] { return lacuna::print_defaults("model_divergence", "model"); },
         [] { return lacuna::json_schema("model_divergence"); }, "path.top_k.select.k=32"},
        argc, argv);
    if (!line) return 0;
    return lacuna::present_results(lacuna::run_model_divergence(*line, argc, argv), line->report, line->force);
  });
}
