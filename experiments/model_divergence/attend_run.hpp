// The attention of one run of a decoder in one layer: a path answers every token over what the run itself cached, and
// some of its rows are judged.
//
// Where a path has no answer (a selection taken over from a layer that has none, an indexer in a layer without one) the
// run still needs an output: the path without its choosing stages answers, which attends every row that it keeps, in
// the formats in which it keeps them. Such a row is judged as what it is.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/approx/path.hpp"
#include "experiments/attention_error/row_table.hpp"

namespace lacuna {

/// The path of a cell that attends everything that the path keeps: without select and pool, window and sink tokens.
Parameters without_choice(const Parameters& path);
/// The path that is exact: the defaults of every stage.
Parameters exact_path();

/// What one run meets in one layer.
struct RunLayer {
  const AttentionProblem* problem = nullptr;  ///< with a query at every token
  const Parameters* path = nullptr;
  StageContext context;
  SelectionStore* publish = nullptr;  ///< where the run's selections go; nullptr: nobody reads them
  const kernels::Backend* backend = nullptr;
  int threads = 1;
};

/// One judged row, given the run's own inputs, and how far its output lies from the exact run's.
struct JudgedRow {
  double omitted_mass = std::numeric_limits<double>::quiet_NaN();
  double output_error = std::numeric_limits<double>::quiet_NaN();
  double bound = std::numeric_limits<double>::quiet_NaN();
  double output_error_accumulated = std::numeric_limits<double>::quiet_NaN();
  RowStatus status = RowStatus::not_run;
};

/// The rows that are judged, and the exact run's outputs in this layer.
struct Judging {
  std::span<const Index> position;           // [judged], ascending
  std::span<const double> o_exact;           // [s_q, h_q, d_v]
  std::vector<std::vector<JudgedRow>> rows;  // [h_q][judged], written
};

/// o [s_q, h_q, d_v]. Any number of threads gives the same bits. `judging` may be nullptr. InputError where a number is
/// not finite.
std::vector<double> attend_run(const RunLayer& layer, Judging* judging);

}  // namespace lacuna
