#include "experiments/cache_cost/run.hpp"

#include <fmt/format.h>

#include <iostream>

#include "core/base/error.hpp"
#include "experiments/cache_cost/recording.hpp"
#include "experiments/harness/default_plot.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"

namespace lacuna {

std::filesystem::path run_cache_cost(const CommandLine& line, int argc, char** argv) {
  const CostStudy study = read_cost_study(line.parameters, line.settings);
  if (line.dry_run) {
    std::cout << fmt::format("{} architectures, {} contexts\ndry run: nothing was written\n",
                             study.architectures.size(), study.contexts.size());
    return {};
  }

  const RunFacts run{argc, argv, line.threads, utc_now()};
  if (line.output) check_output(*line.output, {study.file.string()});
  ResultsFile file = open_results(line, study, {}, run);
  announce_default_plot(file, {"cost", study.architectures.front().name});
  for (const Architecture& architecture : study.architectures) {
    check_for_interrupt();
    record_costs(file, ArchitectureCosts::of(architecture, study.contexts));
  }
  record_provenance(file, study, "", run);
  file.finish();
  return file.file();
}

}  // namespace lacuna
