// Measures a block of queries of one layer: the exact row of every head, then every path's answer judged against it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/approx/selection_store.hpp"
#include "core/certificates/block_summaries.hpp"
#include "experiments/attention_error/cells.hpp"
#include "experiments/attention_error/row_table.hpp"

namespace lacuna {

/// Everything that is the same for all queries of a layer.
struct LayerTask {
  const AttentionProblem* problem = nullptr;
  const std::vector<PathPlan>* plans = nullptr;
  const kernels::Backend* backend = nullptr;
  StageContext context;                                                ///< trial and input are set per path
  std::vector<std::vector<std::shared_ptr<const StageInput>>> inputs;  ///< [path][cell]
  std::vector<ValueBalls> balls;                                       ///< [h_kv]
  std::map<Index, std::vector<BlockSummaries>> summaries;              ///< by block size, [h_kv]
  SelectionStore* selections = nullptr;
  std::vector<std::vector<std::int64_t>> exact_coordinates;  ///< [exact metric], empty for scalars
};

/// The tables that a block fills: /exact, and one per path, cell and trial.
struct BlockTables {
  RowTable exact;
  std::vector<std::vector<RowTable>> paths;  ///< [path][cell * trials + trial]
};

/// The variables of /exact and of a path, in the order of the tables. The path's first variables are its metrics, then
/// the bounds, then `bound`, then its certificates, then `selected` if recorded; a path over other entries than the
/// rows has the first alone.
std::vector<RowVariable> exact_variables(const std::vector<std::vector<std::int64_t>>& exact_coordinates);
std::vector<RowVariable> path_variables(const PathPlan& plan, bool record_selected);

/// Queries [begin, end) into rows [begin - first, end - first) of the tables. Any split gives the same numbers.
/// `measured` is called after each query (progress, interrupts).
void measure_queries(const LayerTask& task, Index first, Index begin, Index end, BlockTables& tables,
                     const std::function<void()>& measured);

}  // namespace lacuna
