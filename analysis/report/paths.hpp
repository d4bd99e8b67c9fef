// The paths of a results file, and which of their rows were measured.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/series.hpp"
#include "analysis/row_cells.hpp"
#include "analysis/row_status.hpp"

namespace lacuna {

struct PathEntry {
  std::string name;
  std::string group;  ///< "/path/top_k"
  Series series;
  RowCells rows;  ///< of the variable `status`
};
/// In the order of the study.
std::vector<PathEntry> read_paths(const ResultsReader& reader, Palette& palette);

/// The measured rows of a cell, of a variable with the dimensions of `status`, whose values at the cell are given.
std::vector<double> measured(const RowCells& rows, const std::string& variable, std::int64_t cell,
                             const std::vector<double>& status);
/// Where they lie.
std::vector<RowPlace> measured_places(const RowCells& rows, const std::vector<double>& status);

}  // namespace lacuna
