#include "experiments/attention_error/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "experiments/attention_error/path_inputs.hpp"
#include "experiments/attention_error/recording.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/record_provenance.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

/// Rows of all paths that are held before they are written: 64 MiB of numbers.
constexpr Index kHeldNumbers = 8 << 20;

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

/// Queries per block, so that the tables of a block stay within the held numbers.
Index queries_per_block(const std::vector<PathPlan>& plans, const std::vector<std::vector<std::int64_t>>& coordinates,
                        bool record_selected, Index heads, Index queries) {
  Index per_query = 0;
  for (const RowVariable& variable : exact_variables(coordinates)) per_query += variable.width * heads;
  for (const PathPlan& plan : plans)
    for (const RowVariable& variable : path_variables(plan, record_selected))
      per_query += variable.width * heads * plan.runs();
  return std::clamp<Index>(kHeldNumbers / std::max<Index>(per_query, 1), 1, queries);
}

BlockTables make_tables(const std::vector<PathPlan>& plans, const std::vector<std::vector<std::int64_t>>& coordinates,
                        bool record_selected, Index heads, Index queries) {
  BlockTables tables{RowTable(exact_variables(coordinates), heads, queries), {}};
  for (const PathPlan& plan : plans)
    tables.paths.emplace_back(static_cast<std::size_t>(plan.runs()),
                              RowTable(path_variables(plan, record_selected), heads, queries));
  return tables;
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
  const Study study = read_study(line.parameters, line.settings);
  if (study.experiment.text("kind") != "attention_error")
    throw UsageError(fmt::format("{}: error: experiment.kind is \"{}\"; this program runs \"attention_error\"",
                                 line.parameters.string(), study.experiment.text("kind")));
  const bool record_selected = study.experiment.boolean("record_selected");
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

  const std::string started = utc_now();
  if (line.output) check_output(*line.output, study);
  ResultsFile file(line.output ? *line.output : next_free_results_path(line.parameters), line.force,
                   study.experiment.text("compression") == "deflate" ? Compression::deflate : Compression::none);
  Recording recording(file, study, shapes, plans, coordinates);

  const SourceShape& shape = shapes.front();
  const Index heads = static_cast<Index>(shape.head.size());
  const Index queries = static_cast<Index>(shape.query_position.size());
  const Index sequences = static_cast<Index>(shape.sequence.size());
  const Index layers = static_cast<Index>(shape.layer.size());
  const Index block = queries_per_block(plans, coordinates, record_selected, heads, queries);
  Progress progress(static_cast<Index>(sources.size()) * sequences * layers * queries, "queries", line.quiet);

  for (Index cell = 0; cell < static_cast<Index>(sources.size()); ++cell) {
    for (Index sequence = 0; sequence < sequences; ++sequence) {
      SelectionStore selections;
      for (const PathPlan& plan : plans)
        for (Index path_cell = 0; plan.published && path_cell < plan.cells(); ++path_cell)
          selections.reserve(plan.study->name, path_cell, layers, queries, heads);

      for (Index layer = 0; layer < layers; ++layer) {
        check_for_interrupt();
        const AttentionProblem problem = sources[cell]->load(sequence, layer);
        selections.describe_rows(layer, problem.key_position);
        LayerTask task;
        task.problem = &problem;
        task.plans = &plans;
        task.backend = &backend;
        task.selections = &selections;
        task.exact_coordinates = coordinates;
        task.context.seed = static_cast<std::uint64_t>(study.experiment.integer("seed"));
        task.context.sequences = sequences;
        task.context.sequence = sequence;
        task.context.layer = layer;
        task.context.problem = &problem;
        task.context.layer_label = &shape.layer;
        task.context.head_label = &shape.head;
        task.context.selections = &selections;
        task.inputs = load_inputs(plans, task.context);
        task.balls.resize(problem.h_kv());
        parallel_for(problem.h_kv(), line.threads,
                     [&](Index kv_head) { task.balls[kv_head] = ValueBalls(problem.values(kv_head)); });

        for (Index first = 0; first < queries; first += block) {
          const Index count = std::min(block, queries - first);
          BlockTables tables = make_tables(plans, coordinates, record_selected, heads, count);
          const Index chunks = std::min<Index>(count, 4 * line.threads);
          parallel_for(chunks, line.threads, [&](Index chunk) {
            measure_queries(task, first, first + chunk * count / chunks, first + (chunk + 1) * count / chunks, tables,
                            [&] {
                              check_for_interrupt();
                              progress.advance();
                            });
          });
          recording.write(cell, sequence, layer, first, count, tables);
        }
      }
    }
  }

  record_provenance(file, study, sources.front()->input_sha256(), {argc, argv, line.threads, started});
  file.finish();
  return file.file();
}

}  // namespace lacuna
