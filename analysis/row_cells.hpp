// The rows of a group of a results file, one swept value at a time.
//
// The dimensions of a row variable are [swept ..., row ...]: the row dimensions begin at `trial`, where there is one,
// or at `sequence`. A cell is one combination of swept values; its rows are read at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/results_reader.hpp"
#include "analysis/statistics/correlated_quantile.hpp"

namespace lacuna {

/// Rows of a cell that share their labels in the dimensions they are grouped by.
struct RowGroup {
  std::vector<std::string> labels;  ///< one per dimension
  std::vector<std::size_t> rows;    ///< ascending, within the cell
};

/// A swept key and its value in one cell.
struct SweptValue {
  std::string name;
  std::string value;
  bool of_source = false;  ///< /exact has it as well
};

class RowCells {
 public:
  /// `group` is "/path/top_k"; `variable` one of those that have the rows in question. Throws InputError when it has no
  /// dimension `sequence`.
  RowCells(const ResultsReader& reader, const std::string& group, const std::string& variable);

  std::string group() const { return group_.substr(0, group_.size() - 1); }  ///< "/path/top_k"
  const std::vector<ReadDimension>& swept() const { return swept_; }
  const std::vector<ReadDimension>& own() const { return row_; }  ///< of a row: [trial,] sequence, ...
  std::int64_t cells() const { return cells_; }
  std::int64_t rows() const { return rows_; }  ///< of one cell
  bool has(const std::string& variable) const;
  /// The rows of one cell, of a variable with the same dimensions and perhaps further ones behind them.
  std::vector<double> read(const std::string& variable, std::int64_t cell) const;
  /// The same at one place in the first dimensions of a row.
  std::vector<double> read_at(const std::string& variable, std::int64_t cell,
                              const std::vector<std::int64_t>& place) const;

  /// In the order of the dimensions, each followed by the keys that walk along with it ([[sweep.zip]]).
  std::vector<SweptValue> swept_values(std::int64_t cell) const;
  /// "select_k = 64", ", " between several; empty when nothing is swept.
  std::string cell_name(std::int64_t cell) const;
  /// The parts of cell_name that are the source's, and the path's own.
  std::string source_name(std::int64_t cell) const;
  std::string path_name(std::int64_t cell) const;
  /// "18/5/2047" of layer, head and position; before them trial and sequence where there are several.
  std::string row_place(std::int64_t cell, std::int64_t row) const;
  /// Sequence and position of every row of a cell, as indices.
  std::vector<RowPlace> places() const;

  bool has_dimension(const std::string& name) const;
  std::int64_t size_of(const std::string& dimension) const;  ///< 0 where a row has no such dimension
  const std::vector<std::string>& labels_of(const std::string& dimension) const;
  /// The index along a dimension of each row of a cell; zeros where a row has no such dimension.
  std::vector<std::int64_t> index_along(const std::string& dimension) const;
  /// Groups in the order of the rows; one without labels for no dimensions. Names must be row dimensions.
  std::vector<RowGroup> group_by(const std::vector<std::string>& dimensions) const;

 private:
  /// A key that is swept: the dimension itself, or one that walks along it.
  struct SweptKey {
    std::string name;
    std::size_t dimension = 0;        ///< of swept_
    std::vector<std::string> labels;  ///< along it
    bool of_source = false;
  };

  void find_swept_keys();
  std::vector<std::int64_t> index_of(std::int64_t cell) const;  ///< along the swept dimensions
  std::string position_label(std::int64_t cell, std::int64_t query, const std::string& label) const;

  const ResultsReader& reader_;
  std::string group_;
  std::vector<ReadDimension> swept_;
  std::vector<SweptKey> swept_keys_;
  std::vector<ReadDimension> row_;
  std::int64_t cells_ = 1;
  std::int64_t rows_ = 1;
};

}  // namespace lacuna
