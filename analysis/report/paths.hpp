// The paths of a results file, and which of their rows were measured.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/series.hpp"
#include "analysis/row_cells.hpp"

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
