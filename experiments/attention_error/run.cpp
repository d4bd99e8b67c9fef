#include "experiments/attention_error/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "experiments/attention_error/path_inputs.hpp"
#include "experiments/attention_error/study_run.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"

namespace lacuna {
namespace {

std::vector<std::unique_ptr<ProblemSource>> open_sources(const Study& study) {
  const SourceKind& kind = SourceRegistry::instance().at(study.source_kind);
  std::vector<std::unique_ptr<ProblemSource>> sources;
  for (const Parameters& cell : study.source.cells) try {
      sources.push_back(kind.open(cell, static_cast<std::uint64_t>(study.experiment.integer("seed"))));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: error: {}", study.file.string(), error.what()));
    }
  return sources;
}

void print_plan(const Study& study, const std::vector<SourceShape>& shapes, const std::vector<PathPlan>& plans) {
  const SourceShape& shape = shapes.front();
  Index rows = static_cast<Index>(shapes.size() * shape.sequence.size() * shape.layer.size() * shape.head.size() *
                                  shape.query_position.size());
  std::cout << fmt::format(
      "source {}: {} cells, {} sequences, {} layers, {} heads, {} queries, {} keys: {} exact rows\n", study.source_kind,
      shapes.size(), shape.sequence.size(), shape.layer.size(), shape.head.size(), shape.query_position.size(),
      shape.keys, rows);
  for (const PathPlan& plan : plans)
    std::cout << fmt::format("path {}{}: {} cells, {} trials: {} rows\n", plan.study->name,
                             plan.traits.is_oracle ? "*" : "", plan.cells(), plan.traits.trials, rows * plan.runs());
  std::cout << "dry run: nothing was written\n";
}

}  // namespace

std::filesystem::path run_attention_error(const CommandLine& line, int argc, char** argv) {
  const Study study = read_study(line.parameters, line.settings, "attention_error");
  const auto sources = open_sources(study);
  if (!line.quiet)
    for (const std::string& note : sources.front()->notes()) std::cerr << "note: " << note << '\n';
  std::vector<SourceShape> shapes;
  for (const auto& source : sources) shapes.push_back(source->shape());
  check_paths(study, shapes);

  Index most_keys = 0;
  for (const SourceShape& shape : shapes) most_keys = std::max(most_keys, shape.keys);
  const std::vector<PathPlan> plans = plan_paths(study, most_keys);
  std::vector<std::vector<std::int64_t>> coordinates;
  for (const ExactMetricKind& kind : ExactMetricRegistry::instance().kinds())
    coordinates.push_back(kind.dimension ? kind.dimension->coordinate(most_keys) : std::vector<std::int64_t>{});
  const kernels::Backend& backend = choose_backend(line.backend);
  if (line.dry_run) {
    print_plan(study, shapes, plans);
    return {};
  }

  const RunFacts run{argc, argv, line.threads, utc_now()};
  std::vector<std::string> files = files_of(study);
  for (const auto& source : sources)
    for (const std::string& file : source->input_files()) files.push_back(file);
  if (line.output) check_output(*line.output, files);
  std::vector<std::string> input_sha256 = selection_sha256(study);
  for (const auto& source : sources) input_sha256.push_back(source->input_sha256());
  ResultsFile file = open_results(line, study, input_sha256, run);
  Recording recording(file, study, shapes, plans, coordinates);
  const StudyTask task{.study = study,
                       .line = line,
                       .sources = sources,
                       .shape = shapes.front(),
                       .plans = plans,
                       .coordinates = coordinates,
                       .backend = backend};
  run_study(task, file, recording);
  record_provenance(file, study, sources.front()->input_sha256(), run);
  file.finish();
  return file.file();
}

}  // namespace lacuna
