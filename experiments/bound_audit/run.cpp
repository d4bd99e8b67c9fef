#include "experiments/bound_audit/run.hpp"

#include <fmt/format.h>

#include <iostream>

#include "core/base/error.hpp"
#include "experiments/bound_audit/recording.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

/// [count] what each index gives; any number of threads gives the same.
template <class Work>
auto each(Index count, int threads, Progress& progress, const Work& work) {
  std::vector<decltype(work(Index{0}))> found(count);
  parallel_for(count, threads, [&](Index i) {
    check_for_interrupt();
    found[i] = work(i);
    progress.advance();
  });
  return found;
}

}  // namespace

std::filesystem::path run_bound_audit(const CommandLine& line, int argc, char** argv) {
  const AuditStudy study = read_audit_study(line.parameters, line.settings);
  if (line.backend != "cpu")
    throw UsageError(fmt::format("--backend {}: bound_audit judges small instances, on the CPU", line.backend));
  const auto claims = static_cast<Index>(study.claims.size());
  const auto guarantees = static_cast<Index>(study.guarantees.size());
  const auto trial_cases = static_cast<Index>(populations().size());
  if (line.dry_run) {
    std::cout << fmt::format(
        "{} bounds and certificates, {} cases of {} steps each; {} guarantees, {} cases of {} trials each\n"
        "dry run: nothing was written\n",
        claims, study.cases, study.search.steps, guarantees, trial_cases, study.coverage.trials);
    return {};
  }

  const RunFacts run{argc, argv, line.threads, utc_now()};
  if (line.output) check_output(*line.output, {study.file.string()});
  ResultsFile file = open_results(line, study, {}, run);
  AuditRecording recording(file, study);
  Progress progress(claims * study.cases + guarantees * trial_cases, "cases", line.quiet);
  for (Index i = 0; i < claims; ++i) {
    const AuditedClaim& claim = study.claims[i];
    const auto search = [&](Index restart) {
      return worst_case(claim, study.search, study.seed(), restart, check_for_interrupt);
    };
    if (!file.unit("search " + claim.name,
                   [&] { recording.searched(i, each(study.cases, line.threads, progress, search)); }))
      progress.skip(study.cases);
  }
  for (Index i = 0; i < guarantees; ++i) {
    const GuaranteeKind& kind = *study.guarantees[i];
    const auto trials = [&](Index number) {
      return coverage(kind, populations()[number], study.coverage, study.seed());
    };
    if (!file.unit("coverage " + kind.name,
                   [&] { recording.covered(i, each(trial_cases, line.threads, progress, trials)); }))
      progress.skip(trial_cases);
  }
  record_provenance(file, study, "", run);
  file.finish();
  return file.file();
}

}  // namespace lacuna
