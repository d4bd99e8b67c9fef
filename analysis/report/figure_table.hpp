// The numbers behind a figure: what the page embeds, once, and what its plots, tables and CSV are drawn from.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace lacuna {

/// A column. `variable` is the dataset of the row's group that its numbers come from, `reduction` what was done to it:
/// "value" (nothing), "mean", "median", "p99", ..., each over the rows that were measured; empty for labels and for
/// numbers that are computed from other columns.
struct FigureColumn {
  std::string name;
  std::string units = {};
  std::string variable = {};
  std::string reduction = {};
};

class FigureTable {
 public:
  using Cell = std::variant<double, std::string>;

  FigureTable() = default;
  explicit FigureTable(std::vector<FigureColumn> columns);
  /// One cell per column; a column holds numbers or texts, never both. Returns the number of the row.
  std::size_t add(const std::vector<Cell>& row);
  std::size_t rows() const { return rows_; }
  /// {"columns": [{"name", "units", "variable", "reduction", "values": [numbers]} or {..., "levels": [texts], "codes":
  /// [indices into levels]}]}. Numbers are shortest decimals that read back as the same double; NaN is null, infinities
  /// are the texts "inf" and "-inf".
  nlohmann::ordered_json json() const;

 private:
  struct Values {
    std::vector<double> numbers;
    std::vector<std::string> levels;
    std::vector<std::size_t> codes;
  };
  std::vector<FigureColumn> columns_;
  std::vector<Values> values_;
  std::size_t rows_ = 0;
};

}  // namespace lacuna
