// replay_error PARAMS.toml: window rows rebuilt by running only the last tokens again, beside the exact run.
#include "analysis/present_results.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/replay_error/parameters.hpp"
#include "experiments/replay_error/run.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "replay_error", "How many tokens must be run again to rebuild the windows of a prefix, and what do fewer cost?",
        {lacuna::print_replay_defaults, lacuna::replay_json_schema, "replay.length=32"}, argc, argv);
    if (!line) return 0;
    return lacuna::present_results(lacuna::run_replay_error(*line, argc, argv), line->report, line->force);
  });
}
