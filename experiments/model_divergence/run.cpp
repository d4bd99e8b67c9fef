#include "experiments/model_divergence/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "experiments/attention_error/path_inputs.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"
#include "experiments/harness/path_check.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/study_sources.hpp"
#include "experiments/model_divergence/replay_check.hpp"
#include "experiments/model_divergence/sequence_runs.hpp"

namespace lacuna {
namespace {

/// A replay must suit the model, which is the same in every source cell up to its widths. UsageError with every fault.
void check_replays(const Study& study, const ModelDescription& model) {
  Diagnostics diagnostics(study.file.string());
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      if (const auto fault = check_replay_of_model(cell, model))
        study.places.report("path." + path.name, {*fault}, diagnostics);
  diagnostics.throw_if_any();
}

/// experiment.compare_from; the last of the shortest sequences is at `last`.
Index first_compared(const Study& study, Index last) {
  const Index first = study.experiment.integer("compare_from");
  Diagnostics diagnostics(study.file.string());
  if (first > last)
    diagnostics.error(
        study.places.of("experiment.compare_from"),
        fmt::format("'compare_from' = {} in [experiment]: the last token stands at position {}", first, last));
  diagnostics.throw_if_any();
  return first;
}

/// Layers of runs that a sequence goes through, the exact run's among them.
Index layers_of_runs(const ModelSource& model, const std::vector<PathPlan>& plans) {
  Index runs = 1;
  for (const PathPlan& plan : plans) runs += plan.runs();
  return runs * static_cast<Index>(model.decoder().model().layers.size());
}

std::string format_plan(const Study& study, const ModelSource& model, const std::vector<PathPlan>& plans) {
  const ModelDescription& description = model.decoder().model();
  std::string text =
      fmt::format("model {}: {} layers of width {}, {} tokens of a vocabulary of {}; {} cells, {} sequences\n",
                  description.name, description.layers.size(), description.d_model, model.tokens(0).size(),
                  description.vocabulary, study.source.cells.size(), model.shape().sequence.size());
  for (const PathPlan& plan : plans)
    text += fmt::format("path {}{}: {} cells, {} trials\n", plan.study->name, plan.traits.is_oracle ? "*" : "",
                        plan.cells(), plan.traits.trials);
  return text + "dry run: nothing was written\n";
}

}  // namespace

std::filesystem::path run_model_divergence(const CommandLine& line, int argc, char** argv) {
  const Study study = read_study(line.parameters, line.settings, {.program = "model_divergence", .source = "model"});
  const auto models = open_sources(study, study.source, [](const Parameters& cell, std::uint64_t seed) {
    return std::make_unique<ModelSource>(cell, seed);
  });
  if (!line.quiet) print_notes(*models.front());
  std::vector<SourceShape> shapes;
  std::vector<Index> last_query;
  Index most_keys = 0;
  for (const auto& model : models) {
    shapes.push_back(model->shape());
    most_keys = std::max(most_keys, shapes.back().keys);
    last_query.push_back(static_cast<Index>(model->tokens(0).size()) - 1);
  }
  check_paths(study, shapes, last_query);
  check_replays(study, models.front()->decoder().model());
  const Index compare_from = first_compared(study, *std::ranges::min_element(last_query));
  if (!line.quiet) print_notes(path_notes(study, shapes));
  const std::vector<PathPlan> plans = plan_paths(study, most_keys);
  const kernels::Backend& backend = choose_backend(line.backend);
  if (line.dry_run) {
    std::cout << format_plan(study, *models.front(), plans);
    return {};
  }

  const RunFacts run{argc, argv, line.threads, utc_now()};
  SourceInputs inputs = inputs_of(models);
  for (const std::string& file : files_of(study)) inputs.files.push_back(file);
  for (const std::string& digest : selection_sha256(study)) inputs.sha256.push_back(digest);
  if (line.output) check_output(*line.output, inputs.files);
  ResultsFile file = open_results(line, study, inputs.sha256, run);
  DivergenceRecording recording(file, study, *models.front(), plans, compare_from);
  const auto sequences = static_cast<Index>(shapes.front().sequence.size());
  const Index layers = layers_of_runs(*models.front(), plans);
  Progress progress(static_cast<Index>(models.size()) * sequences * layers, "layers of runs", line.quiet);

  for (std::size_t cell = 0; cell < models.size(); ++cell) {
    const DivergenceTask task{.source = models[cell].get(),
                              .plans = &plans,
                              .backend = &backend,
                              .seed = static_cast<std::uint64_t>(study.experiment.integer("seed")),
                              .threads = line.threads,
                              .source_cell = static_cast<Index>(cell),
                              .compare_from = compare_from,
                              .recording = &recording,
                              .measured = [&] { progress.advance(); }};
    for (Index sequence = 0; sequence < sequences; ++sequence) {
      check_for_interrupt();
      const std::string key = fmt::format("source cell {}, sequence {}", cell, sequence);
      if (!file.unit(key, [&] { run_sequence(task, sequence); })) progress.skip(layers);
    }
  }

  record_provenance(file, study, models.front()->input_sha256(), run);
  file.finish();
  return file.file();
}

}  // namespace lacuna
