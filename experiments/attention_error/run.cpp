#include "experiments/attention_error/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "experiments/attention_error/path_inputs.hpp"
#include "experiments/attention_error/study_run.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/output_check.hpp"
#include "experiments/harness/path_check.hpp"
#include "experiments/harness/study_sources.hpp"

namespace lacuna {
namespace {

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
  const Study study = read_study(line.parameters, line.settings, {.program = "attention_error"});
  const auto sources = open_sources(study, study.source, SourceRegistry::instance().at(study.source_kind).open);
  if (!line.quiet) print_notes(*sources.front());
  std::vector<SourceShape> shapes;
  std::vector<Index> last_query;
  for (const auto& source : sources) {
    shapes.push_back(source->shape());
    last_query.push_back(shapes.back().query_position.back());
  }
  check_paths(study, shapes, last_query);
  if (!line.quiet) print_notes(path_notes(study, shapes));

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
  SourceInputs inputs = inputs_of(sources);
  for (const std::string& file : files_of(study)) inputs.files.push_back(file);
  for (const std::string& digest : selection_sha256(study)) inputs.sha256.push_back(digest);
  if (line.output) check_output(*line.output, inputs.files);
  ResultsFile file = open_results(line, study, inputs.sha256, run);
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
