#include "experiments/replay_error/run.hpp"

#include <fmt/format.h>

#include <memory>

#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/record_provenance.hpp"
#include "experiments/replay_error/recording.hpp"
#include "experiments/replay_error/report.hpp"

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

ReplayRun run_replay_error(const CommandLine& line, int argc, char** argv) {
  const ReplayStudy study = read_replay_study(line.parameters, line.settings);
  if (line.backend != "cpu")
    throw UsageError(fmt::format("--backend {}: replay_error attends exactly, on the CPU", line.backend));
  const std::vector<std::unique_ptr<ModelSource>> models = open_models(study);
  if (line.dry_run) return {.file = {}, .report = format_plan(study, *models.front())};

  const std::string started = utc_now();
  std::error_code none;
  if (line.output && std::filesystem::equivalent(*line.output, study.file, none))
    throw EnvironmentError(fmt::format("{}: the output would replace what the study reads", line.output->string()));
  ResultsFile file(line.output ? *line.output : next_free_results_path(line.parameters), line.force,
                   study.experiment.text("compression") == "deflate" ? Compression::deflate : Compression::none);
  ReplayRecording recording(file, study, *models.front());
  const std::vector<ReplayCell> cells = study.cells();
  const auto sequences = static_cast<Index>(models.front()->shape().sequence.size());
  Progress progress(static_cast<Index>(models.size()) * sequences * replays_of(cells), "replays", line.quiet);

  std::vector<ReplaySummary> lines;
  for (std::size_t source_cell = 0; source_cell < models.size(); ++source_cell) {
    std::vector<ReplaySummary> summaries(cells.size());
    for (Index sequence = 0; sequence < sequences; ++sequence) {
      check_for_interrupt();
      const ModelSource& model = *models[source_cell];
      const ExactSequence exact = exact_sequence(model, sequence, study, line.threads);
      recording.exact(static_cast<Index>(source_cell), sequence, exact);
      const std::vector<ReplayOutcome> outcomes =
          replay_sequence(model, sequence, study, exact, line.threads, [&] { progress.advance(); });
      for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const ReplayOutcome& outcome = outcomes[cells[cell].same_as];
        recording.outcome(static_cast<Index>(source_cell), static_cast<Index>(cell), sequence, outcome, exact.greedy);
        summaries[cell].add(outcome, exact.greedy);
      }
    }
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      if (cells[cell].same_as != static_cast<Index>(cell)) continue;
      summaries[cell].name = replay_name(study, static_cast<Index>(source_cell), cells[cell]);
      lines.push_back(std::move(summaries[cell]));
    }
  }

  record_provenance(file, study, "", {argc, argv, line.threads, started});
  file.finish();
  ReplayRun run{.file = file.file(), .report = format_replays(lines)};
  for (const ReplaySummary& summary : lines) run.sound &= summary.changed + summary.miscounted == 0;
  return run;
}

}  // namespace lacuna
