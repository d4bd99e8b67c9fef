#include "analysis/summary_exact.hpp"

#include <fmt/format.h>

#include "analysis/row_cells.hpp"
#include "analysis/summary_of_kind.hpp"

namespace lacuna {

Table exact_table(const ResultsReader& reader, const std::vector<std::string>& by) {
  const RowCells cells(reader, "/exact", "visible_keys");
  Table table;
  table.title = "exact attention";
  table.columns = {{.name = "swept", .left = true}};
  for (const std::string& dimension : by) table.columns.push_back({.name = dimension, .left = true});
  table.columns.push_back({.name = "visible keys", .format = [](double x) { return fmt::format("{:.1f}", x); }});
  for (const char* name : {"score std", "entropy", "effective keys"})
    table.columns.push_back({.name = fmt::format("{} p50", name)});

  const std::vector<RowPlace> places = cells.places();
  const std::vector<RowGroup> groups = cells.group_by(by);
  for (std::int64_t cell = 0; cell < cells.cells(); ++cell) {
    const std::size_t first = table.rows.size();
    const std::vector<double> visible = cells.read("visible_keys", cell);
    std::vector<char> sees;
    for (const double keys : visible) sees.push_back(keys > 0 ? 1 : 0);
    for (const RowGroup& group : groups) {
      table.rows.push_back({cells.cell_name(cell)});
      std::vector<TableCell>& row = table.rows.back();
      row.insert(row.end(), group.labels.begin(), group.labels.end());
      row.push_back(mean_of(take(visible, places, group, {})).value);
    }
    for (const char* variable : {"score_std", "entropy", "effective_keys"}) {
      const std::vector<double> values = cells.read(variable, cell);
      for (std::size_t g = 0; g < groups.size(); ++g)
        table.rows[first + g].push_back(median_and_p99(take(values, places, groups[g], sees)).median);
    }
  }
  return table;
}

}  // namespace lacuna
