// attention_error PARAMS.toml: one attention at a time, approximate paths beside the exact reference.
#include "analysis/present_results.hpp"
#include "experiments/attention_error/run.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/harness/study.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "attention_error", "How much attention mass does a path omit, and what does that do to the output?",
        {[] { return lacuna::print_defaults("attention_error", "gaussian"); },
         [] { return lacuna::json_schema("attention_error"); }, "path.top_k.select.k=64"},
        argc, argv);
    if (!line) return 0;
    return lacuna::present_results(lacuna::run_attention_error(*line, argc, argv), line->report, line->force);
  });
}
