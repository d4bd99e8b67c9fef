#include "experiments/attention_error/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

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

/// --force replaces results, never what the study reads.
void check_output(const std::filesystem::path& output, const Study& study) {
  std::vector<std::string> inputs = {study.file.string()};
  for (const Parameters& cell : study.source.cells)
    if (cell.has("file")) {
      const auto& files = cell.get<std::vector<std::string>>("file");
      inputs.insert(inputs.end(), files.begin(), files.end());
    }
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      if (cell.has("select.file")) inputs.push_back(cell.text("select.file"));
  for (const std::string& input : inputs) {
    std::error_code none;
    if (std::filesystem::equivalent(output, input, none))
      throw EnvironmentError(fmt::format("{}: the output would replace what the study reads", output.string()));
  }
}

/// "layers" and "heads" of a path must name labels that the source has.
void check_labels(const Study& study, const SourceShape& shape) {
  const auto check = [&](const StudyPath& path, const char* key, const std::vector<Index>& labels) {
    const Parameters& cell = path.sweep.cells.front();
    if (!cell.has(key)) return;
    for (const Index label : cell.get<std::vector<std::int64_t>>(key))
      if (std::find(labels.begin(), labels.end(), label) == labels.end())
        throw UsageError(fmt::format("{}: error: [[path]] \"{}\" names {} {}, which the source does not have",
                                     study.file.string(), path.name, key, label));
  };
  for (const StudyPath& path : study.paths) {
    check(path, "layers", shape.layer);
    check(path, "heads", shape.head);
  }
}

/// Why a path does not suit a source.
std::optional<ParameterFault> check_path_of_source(const Parameters& cell, const SourceShape& shape) {
  if (const auto fault = StoredCache::check(cell, shape.d_qk, shape.d_v, shape.shared_kv, shape.has_local))
    return fault;
  if (const auto fault = check_regions_of_source(cell, shape.d_qk, shape.d_v, shape.shared_kv)) return fault;
  if (cell.has("pool.from_layer") &&
      std::find(shape.layer.begin(), shape.layer.end(), cell.integer("pool.from_layer")) == shape.layer.end())
    return ParameterFault{"pool.from_layer", "the source does not have this layer"};
  if (!PathTraits::of(cell).uses_indexer) return std::nullopt;
  if (shape.d_index == 0)
    return ParameterFault{cell.has("select.by") && cell.text("select.by") == "indexer" ? "select.by" : "pool.rank_by",
                          "the source has no lightning indexer (no 'index_q', 'index_k', 'index_weights')"};
  return IndexScorer::check(cell, shape.d_index, shape.has_index_slot);
}

/// The stages of every path must suit every source cell.
void check_stages(const Study& study, const std::vector<SourceShape>& shapes) {
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      for (const SourceShape& shape : shapes)
        if (const auto fault = check_path_of_source(cell, shape))
          throw UsageError(fmt::format("{}: error: [[path]] \"{}\": {} = {}: {}", study.file.string(), path.name,
                                       fault->key, to_string(cell.at(fault->key)), fault->message));
}

const kernels::Backend& choose_backend(const std::string& name) {
  if (name == "cpu") return kernels::plain_backend();
  std::string why_not;
  const kernels::Backend* backend = kernels::cuda_backend(why_not);
  if (backend == nullptr) throw EnvironmentError("--backend cuda: " + why_not);
  return *backend;
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

/// What the cells' stages read from outside, for one sequence and layer.
std::vector<std::vector<std::shared_ptr<const StageInput>>> load_inputs(const std::vector<PathPlan>& plans,
                                                                        const StageContext& context) {
  std::vector<std::vector<std::shared_ptr<const StageInput>>> inputs;
  for (const PathPlan& plan : plans) {
    inputs.emplace_back();
    for (const Parameters& cell : plan.study->sweep.cells) {
      const SelectorKind* kind =
          plan.traits.selects ? &SelectorRegistry::instance().at(cell.text("select.by")) : nullptr;
      inputs.back().push_back(kind != nullptr && kind->load ? kind->load(cell, context) : nullptr);
    }
  }
  return inputs;
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
  check_labels(study, shapes.front());
  check_stages(study, shapes);

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
