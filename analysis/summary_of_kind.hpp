// A kind of results file and its summary. Included by the summary_*.cpp only.
#pragma once

#include <string>
#include <vector>

#include "analysis/results_reader.hpp"
#include "analysis/row_cells.hpp"
#include "analysis/row_status.hpp"
#include "analysis/summary.hpp"

namespace lacuna {

Summary summarize_attention_error(const ResultsReader& reader, const std::vector<std::string>& by);
Summary summarize_model_divergence(const ResultsReader& reader, const std::vector<std::string>& by);
Summary summarize_cache_cost(const ResultsReader& reader);
Summary summarize_bound_audit(const ResultsReader& reader);
Summary summarize_replay_error(const ResultsReader& reader, const std::vector<std::string>& by);

/// Those of `by` that are dimensions of the rows; never `trial`, which only some paths have.
std::vector<std::string> dimensions_of(const RowCells& cells, const std::vector<std::string>& by);

/// The columns that name a line of rows: the path, what is swept of the source (those keys of `first`, a path's first
/// cell), the path's own swept values, and labels of `by`.
std::vector<TableColumn> key_columns(const RowCells& first, const std::vector<std::string>& by);
/// Their cells, in columns made by key_columns, with or without the path; "-" for a key that these rows do not have.
std::vector<TableCell> key_cells(const std::vector<TableColumn>& columns, const std::string& path,
                                 const RowCells& cells, std::int64_t cell, const RowGroup& group);

/// Values at some rows of a cell, and where these lie.
struct MeasuredRows {
  std::vector<double> values;
  std::vector<RowPlace> places;
};
/// The rows of the group that `keep` [cell rows] keeps (all, when empty) and whose value is a number.
MeasuredRows take(const std::vector<double>& values, const std::vector<RowPlace>& places, const RowGroup& group,
                  const std::vector<char>& keep);

/// Median and p99.
struct MedianAndP99 {
  Estimate median;
  Estimate p99;
};
MedianAndP99 median_and_p99(const MeasuredRows& rows);
/// The median of bound over error; nothing where the median row has no ratio, its error being 0 or below its own error.
Estimate median_ratio(const MeasuredRows& ratio, std::size_t measured);
Estimate mean_of(const MeasuredRows& rows);

}  // namespace lacuna
