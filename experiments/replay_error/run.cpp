#include "experiments/replay_error/run.hpp"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/replay_error/recording.hpp"

namespace lacuna {
namespace {

/// The sources, whose layers must be such that the study's variants can replay them.
std::vector<std::unique_ptr<ModelSource>> open_models(const ReplayStudy& study) {
  std::vector<std::unique_ptr<ModelSource>> models;
  for (const Parameters& cell : study.source.cells) try {
      models.push_back(
          std::make_unique<ModelSource>(cell, static_cast<std::uint64_t>(study.experiment.integer("seed"))));
      for (const ReplayCell& replay : study.cells())
        ReplayPlan::of(models.back()->decoder().model(), *replay.variant, replay.extents);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: error: {}", study.file.string(), error.what()));
    }
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
  const std::vector<std::unique_ptr<ModelSource>> models = open_models(study);
  if (!line.quiet)
    for (const std::string& note : models.front()->notes()) std::cerr << "note: " << note << '\n';
  if (line.dry_run) {
    std::cout << format_plan(study, *models.front());
    return {};
  }

  const RunFacts run{argc, argv, line.threads, utc_now()};
  std::vector<std::string> files = {study.file.string()};
  for (const auto& model : models)
    for (const std::string& file : model->input_files()) files.push_back(file);
  if (line.output) check_output(*line.output, files);
  std::vector<std::string> input_sha256;
  for (const auto& model : models) input_sha256.push_back(model->input_sha256());
  ResultsFile file = open_results(line, study, input_sha256, run);
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
