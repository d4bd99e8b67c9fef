#include "experiments/cache_cost/run.hpp"

#include "core/base/error.hpp"
#include "experiments/cache_cost/cost_report.hpp"
#include "experiments/cache_cost/recording.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/open_results.hpp"

namespace lacuna {

CostRun run_cache_cost(const CommandLine& line, int argc, char** argv) {
  const CostStudy study = read_cost_study(line.parameters, line.settings);
  if (line.dry_run)
    return {.file = {},
            .report = fmt::format("{} architectures, {} contexts\ndry run: nothing was written\n",
                                  study.architectures.size(), study.contexts.size())};

  const RunFacts run{argc, argv, line.threads, utc_now()};
  std::error_code none;
  if (line.output && std::filesystem::equivalent(*line.output, study.file, none))
    throw EnvironmentError(fmt::format("{}: the output would replace what the study reads", line.output->string()));
  ResultsFile file = open_results(line, study, {}, run);
  std::vector<ArchitectureCosts> costs;
  for (const Architecture& architecture : study.architectures) {
    check_for_interrupt();
    costs.push_back(ArchitectureCosts::of(architecture, study.contexts));
    record_costs(file, costs.back());
  }
  record_provenance(file, study, "", run);
  file.finish();
  return {.file = file.file(), .report = format_cost_report(costs)};
}

}  // namespace lacuna
