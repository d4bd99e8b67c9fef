#include "analysis/summary_exact.hpp"

#include <fmt/format.h>

#include "analysis/row_cells.hpp"
#include "analysis/statistics/log_normal_weights.hpp"
#include "analysis/summary_of_kind.hpp"

namespace lacuna {

Table exact_table(const ResultsReader& reader, const std::vector<std::string>& by) {
  const RowCells cells(reader, "/exact", "visible_keys");
  Table table;
  table.title = "exact attention";
  table.columns = key_columns(cells, by);
  table.columns.erase(table.columns.begin());  // the path
  table.columns.push_back({.name = "visible keys", .format = [](double x) { return fmt::format("{:.1f}", x); }});
  for (const char* name : {"score std", "entropy", "effective keys"})
    table.columns.push_back({.name = fmt::format("{} p50", name)});
  for (const char* name : {"entropy", "effective keys"})
    table.columns.push_back({.name = fmt::format("{} by the law p50", name), .detail = TableColumn::Detail::full_only});

  const std::vector<RowPlace> places = cells.places();
  const std::vector<RowGroup> groups = cells.group_by(by);
  for (std::int64_t cell = 0; cell < cells.cells(); ++cell) {
    const std::size_t first = table.rows.size();
    const std::vector<double> visible = cells.read("visible_keys", cell);
    std::vector<char> sees;
    for (const double keys : visible) sees.push_back(keys > 0 ? 1 : 0);
    for (const RowGroup& group : groups) {
      table.rows.push_back(key_cells(table.columns, "", cells, cell, group));
      table.rows.back().emplace_back(mean_of(take(visible, places, group, {})).value);
    }
    const auto add = [&](const std::vector<double>& values) {
      for (std::size_t g = 0; g < groups.size(); ++g)
        table.rows[first + g].emplace_back(median_and_p99(take(values, places, groups[g], sees)).median);
    };
    const std::vector<double> deviation = cells.read("score_std", cell);
    add(deviation);
    add(cells.read("entropy", cell));
    add(cells.read("effective_keys", cell));
    for (const auto law : {log_normal_weights::entropy, log_normal_weights::effective_keys}) {
      std::vector<double> expected;
      for (std::size_t row = 0; row < visible.size(); ++row) expected.push_back(law(visible[row], deviation[row]));
      add(expected);
    }
  }
  return table;
}

}  // namespace lacuna
