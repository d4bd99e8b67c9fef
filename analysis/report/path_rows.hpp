// The rows of one group of a results file, a cell at a time: the dimensions before `trial` and `sequence` are swept,
// and their combinations are the cells; the others are the rows of a cell.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/series.hpp"
#include "analysis/results_reader.hpp"
#include "analysis/statistics/correlated_quantile.hpp"

namespace lacuna {

/// Codes of the variable `status`, as read.
namespace row_status {
inline constexpr double ok = 0;
inline constexpr double not_run = 1;
inline constexpr double failed = 2;
inline constexpr double violated = 3;
inline constexpr double no_visible_key = 4;
inline constexpr double below_radius = 5;
inline bool is_measured(double status) { return status == ok || status == violated || status == below_radius; }
}  // namespace row_status

class PathRows {
 public:
  /// `variable` has the dimensions of the rows; for paths that is `status`.
  PathRows(const ResultsReader& reader, std::string group, const std::string& variable);

  const std::string& group() const { return group_; }
  bool has(const std::string& variable) const { return reader_.has(group_ + "/" + variable); }
  std::int64_t cells() const { return cells_; }
  std::int64_t rows() const { return rows_; }  ///< of one cell
  const std::vector<ReadDimension>& swept() const { return swept_; }
  /// The dimensions of a row: [trial,] sequence, layer, head, query, whichever there are.
  const std::vector<ReadDimension>& own() const { return own_; }
  /// 1 where the rows have no such dimension.
  std::int64_t size_of(const std::string& dimension) const;
  const std::vector<std::string>& labels_of(const std::string& dimension) const;
  /// The index along `dimension` of each row of a cell; zeros where there is no such dimension.
  std::vector<std::int64_t> index_along(const std::string& dimension) const;
  /// "select_k = 64"; empty where nothing is swept.
  std::string cell_name(std::int64_t cell) const;
  /// A variable with the dimensions of the rows (and further ones behind them: `width` numbers a row), over one cell.
  std::vector<double> read(const std::string& variable, std::int64_t cell) const;
  /// The same at one place of the own dimensions from the first on; the others in full.
  std::vector<double> read_at(const std::string& variable, std::int64_t cell,
                              const std::vector<std::int64_t>& place) const;
  /// Only the rows that were measured.
  std::vector<double> measured(const std::string& variable, std::int64_t cell, const std::vector<double>& status) const;

 private:
  std::vector<std::int64_t> swept_index(std::int64_t cell) const;

  const ResultsReader& reader_;
  std::string group_;
  std::vector<ReadDimension> swept_;
  std::vector<ReadDimension> own_;
  std::int64_t cells_ = 1;
  std::int64_t rows_ = 1;
};

struct PathEntry {
  std::string name;
  Series series;
  PathRows rows;
};
/// The paths of a file in the order of the study; with a `status` each.
std::vector<PathEntry> read_paths(const ResultsReader& reader, Palette& palette);

/// Where the measured rows of a cell lie, for statistics of correlated rows: `position` is the last dimension.
std::vector<RowPlace> measured_places(const PathRows& rows, const std::vector<double>& status);

}  // namespace lacuna
