#include "experiments/cache_cost/run.hpp"

#include "core/base/error.hpp"
#include "experiments/cache_cost/recording.hpp"
#include "experiments/harness/default_plot.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/record_provenance.hpp"

namespace lacuna {

CostRun run_cache_cost(const CommandLine& line, int argc, char** argv) {
  const CostStudy study = read_cost_study(line.parameters, line.settings);
  if (line.dry_run)
    return {.file = {},
            .plan = fmt::format("{} architectures, {} contexts\ndry run: nothing was written\n",
                                study.architectures.size(), study.contexts.size())};

  const std::string started = utc_now();
  std::error_code none;
  if (line.output && std::filesystem::equivalent(*line.output, study.file, none))
    throw EnvironmentError(fmt::format("{}: the output would replace what the study reads", line.output->string()));
  ResultsFile file(line.output ? *line.output : next_free_results_path(line.parameters), line.force,
                   study.experiment.text("compression") == "deflate" ? Compression::deflate : Compression::none);
  announce_default_plot(file, {"cost", study.architectures.front().name});
  for (const Architecture& architecture : study.architectures) {
    check_for_interrupt();
    record_costs(file, ArchitectureCosts::of(architecture, study.contexts));
  }
  record_provenance(file, study, "", {argc, argv, line.threads, started});
  file.finish();
  return {.file = file.file(), .plan = {}};
}

}  // namespace lacuna
