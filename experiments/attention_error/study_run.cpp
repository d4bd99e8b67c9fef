#include "experiments/attention_error/study_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/certificates/read_row.hpp"
#include "experiments/attention_error/path_inputs.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

/// Rows of all paths that are held before they are written: 64 MiB of numbers.
constexpr Index kHeldNumbers = 8 << 20;

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

class StudyRun {
 public:
  StudyRun(const StudyTask& task, Recording& recording)
      : task_(task),
        recording_(recording),
        heads_(static_cast<Index>(task.shape.head.size())),
        queries_(static_cast<Index>(task.shape.query_position.size())),
        sequences_(static_cast<Index>(task.shape.sequence.size())),
        layers_(static_cast<Index>(task.shape.layer.size())),
        record_selected_(task.study.experiment.boolean("record_selected")),
        block_(queries_per_block(task.plans, task.coordinates, record_selected_, heads_, queries_)),
        progress_(static_cast<Index>(task.sources.size()) * sequences_ * layers_ * queries_, "queries",
                  task.line.quiet) {}

  void measure(ResultsFile& file) {
    const bool spans_layers = std::ranges::any_of(task_.plans, &PathPlan::spans_layers);
    for (Index cell = 0; cell < static_cast<Index>(task_.sources.size()); ++cell)
      for (Index sequence = 0; sequence < sequences_; ++sequence) {
        SelectionStore selections = empty_selections();
        const auto measure_layers = [&](Index first, Index end) {
          const std::string key =
              fmt::format("source cell {}, sequence {}, layers {} to {}", cell, sequence, first, end);
          const bool worked = file.unit(key, [&] {
            for (Index layer = first; layer < end; ++layer) measure_layer(cell, sequence, layer, selections);
          });
          if (!worked) progress_.skip((end - first) * queries_);
        };
        if (spans_layers) {
          measure_layers(0, layers_);
          continue;
        }
        for (Index layer = 0; layer < layers_; ++layer) measure_layers(layer, layer + 1);
      }
  }

 private:
  SelectionStore empty_selections() const {
    SelectionStore selections;
    for (const PathPlan& plan : task_.plans)
      for (Index path_cell = 0; plan.published && path_cell < plan.cells(); ++path_cell)
        selections.reserve(plan.study->name, path_cell, layers_, queries_, heads_);
    return selections;
  }

  std::set<Index> certified_block_sizes() const {
    std::set<Index> sizes;
    for (const PathPlan& plan : task_.plans)
      for (const Parameters& path_cell : plan.study->sweep.cells)
        if (const auto size = CertifiedPath::of(path_cell).block_size) sizes.insert(*size);
    return sizes;
  }

  void measure_layer(Index cell, Index sequence, Index layer, SelectionStore& selections) {
    check_for_interrupt();
    const AttentionProblem problem = task_.sources[cell]->load(sequence, layer);
    selections.describe_rows(layer, problem.key_position);
    LayerTask task;
    task.problem = &problem;
    task.plans = &task_.plans;
    task.backend = &task_.backend;
    task.selections = &selections;
    task.exact_coordinates = task_.coordinates;
    task.context.seed = static_cast<std::uint64_t>(task_.study.experiment.integer("seed"));
    task.context.sequences = sequences_;
    task.context.sequence = sequence;
    task.context.layer = layer;
    task.context.problem = &problem;
    task.context.layer_label = &task_.shape.layer;
    task.context.head_label = &task_.shape.head;
    task.context.selections = &selections;
    task.inputs = load_inputs(task_.plans, task.context);
    task.balls.resize(problem.h_kv());
    const int threads = task_.line.threads;
    parallel_for(problem.h_kv(), threads,
                 [&](Index kv_head) { task.balls[kv_head] = ValueBalls(problem.values(kv_head)); });
    for (const Index size : certified_block_sizes()) {
      std::vector<BlockSummaries>& summaries = task.summaries[size];
      summaries.resize(problem.h_kv());
      parallel_for(problem.h_kv(), threads, [&](Index kv_head) {
        summaries[kv_head] = BlockSummaries(problem.keys(kv_head), problem.values(kv_head), size);
      });
    }

    for (Index first = 0; first < queries_; first += block_) {
      const Index count = std::min(block_, queries_ - first);
      BlockTables tables = make_tables(task_.plans, task_.coordinates, record_selected_, heads_, count);
      const Index chunks = std::min<Index>(count, 4 * threads);
      parallel_for(chunks, threads, [&](Index chunk) {
        measure_queries(task, first, first + chunk * count / chunks, first + (chunk + 1) * count / chunks, tables, [&] {
          check_for_interrupt();
          progress_.advance();
        });
      });
      recording_.write(cell, sequence, layer, first, count, tables);
    }
  }

  const StudyTask& task_;
  Recording& recording_;
  Index heads_;
  Index queries_;
  Index sequences_;
  Index layers_;
  bool record_selected_;
  Index block_;  // queries
  Progress progress_;
};

}  // namespace

void run_study(const StudyTask& task, ResultsFile& file, Recording& recording) {
  StudyRun(task, recording).measure(file);
}

}  // namespace lacuna
