// replay_error PARAMS.toml: window rows rebuilt by running only the last tokens again, beside the exact run.
#include <fmt/format.h>

#include <iostream>

#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "experiments/harness/main_guard.hpp"
#include "experiments/replay_error/parameters.hpp"
#include "experiments/replay_error/run.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "replay_error", "How many tokens must be run again to rebuild the windows of a prefix, and what do fewer cost?",
        {lacuna::print_replay_defaults, lacuna::replay_json_schema, "replay.length=32"}, argc, argv);
    if (!line) return 0;
    const std::filesystem::path file = lacuna::run_replay_error(*line, argc, argv);
    if (file.empty()) return 0;
    const lacuna::Summary summary = lacuna::summarize(file);
    std::cout << lacuna::format_summary(summary, lacuna::TableStyle::brief)
              << fmt::format("results: {}\n", file.string());
    return summary.sound() ? 0 : static_cast<int>(lacuna::ExitCode::bound_violated);
  });
}
