#include "experiments/replay_error/run.hpp"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/study_sources.hpp"
#include "experiments/replay_error/recording.hpp"

namespace lacuna {
namespace {

using Models = std::vector<std::unique_ptr<ModelSource>>;

/// The sources. Their layers must be such that the study's variants can replay them, their sequences as long as the
/// prefix and the steps.
Models open_models(const ReplayStudy& study) {
  Models models = open_sources(study, study.source, [](const Parameters& cell, std::uint64_t seed) {
    return std::make_unique<ModelSource>(cell, seed);
  });
  Diagnostics diagnostics(study.file.string());
  const std::vector<ReplayCell> cells = study.cells();
  for (const std::unique_ptr<ModelSource>& model : models) {
    for (const ReplayCell& replay : cells) {
      std::vector<ParameterFault> faults;
      collect_faults(faults, "variant",
                     [&] { ReplayPlan::of(model->decoder().model(), *replay.variant, replay.extents); });
      study.places.report("replay", faults, diagnostics);
    }
    if (const Index n = static_cast<Index>(model->tokens(0).size()); n < study.prefix + study.steps)
      study.places.report(
          "source",
          {{"n", fmt::format("n = {}, and the file of tokens has {} in a sequence", study.prefix + study.steps, n)}},
          diagnostics);
  }
  diagnostics.throw_if_any();
  return models;
}

/// Replays of one sequence, each counted once however many cells have it.
Index replays_of(const std::vector<ReplayCell>& cells) {
  Index count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) count += cells[i].same_as == static_cast<Index>(i) ? 1 : 0;
  return count;
}

std::string format_plan(const ReplayStudy& study, const ModelSource& model) {
  const ModelDescription& description = model.decoder().model();
  return fmt::format(
      "model {}: {} layers of width {}, {} of them the encoder; {} cells, {} sequences\n"
      "a prefix of {} tokens and {} steps behind it; {} replays of each sequence\ndry run: nothing was written\n",
      description.name, description.layers.size(), description.d_model, description.encoder_layers,
      study.source.cells.size(), model.shape().sequence.size(), study.prefix, study.steps, replays_of(study.cells()));
}

}  // namespace

std::filesystem::path run_replay_error(const CommandLine& line, int argc, char** argv) {
  const ReplayStudy study = read_replay_study(line.parameters, line.settings);
  if (line.backend != "cpu")
    throw UsageError(fmt::format("--backend {}: replay_error attends exactly, on the CPU", line.backend));
  const Models models = open_models(study);
  if (!line.quiet) print_notes(*models.front());
  if (line.dry_run) {
    std::cout << format_plan(study, *models.front());
    return {};
  }

  const RunFacts run{argc, argv, line.threads, utc_now()};
  SourceInputs inputs = inputs_of(models);
  inputs.files.push_back(study.file.string());
  if (line.output) check_output(*line.output, inputs.files);
  ResultsFile file = open_results(line, study, inputs.sha256, run);
  ReplayRecording recording(file, study, *models.front());
  const std::vector<ReplayCell> cells = study.cells();
  const auto sequences = static_cast<Index>(models.front()->shape().sequence.size());
  Progress progress(static_cast<Index>(models.size()) * sequences * replays_of(cells), "replays", line.quiet);

  for (std::size_t source_cell = 0; source_cell < models.size(); ++source_cell)
    for (Index sequence = 0; sequence < sequences; ++sequence) {
      check_for_interrupt();
      const auto work = [&] {
        const ModelSource& model = *models[source_cell];
        const ExactSequence exact = exact_sequence(model, sequence, study, line.threads);
        recording.exact(static_cast<Index>(source_cell), sequence, exact);
        const std::vector<ReplayOutcome> outcomes =
            replay_sequence(model, sequence, study, exact, line.threads, [&] { progress.advance(); });
        for (std::size_t cell = 0; cell < cells.size(); ++cell)
          recording.outcome(static_cast<Index>(source_cell), static_cast<Index>(cell), sequence,
                            outcomes[cells[cell].same_as], exact.greedy);
      };
      if (!file.unit(fmt::format("source cell {}, sequence {}", source_cell, sequence), work))
        progress.skip(replays_of(cells));
    }

  record_provenance(file, study, models.front()->input_sha256(), run);
  file.finish();
  return file.file();
}

}  // namespace lacuna
