#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/naming_file.hpp"
#include "analysis/results_reader.hpp"
#include "analysis/statistics/correlated_mean.hpp"
#include "analysis/summary_against.hpp"
#include "analysis/summary_of_kind.hpp"
#include "core/base/error.hpp"

namespace lacuna {

std::vector<std::string> dimensions_of(const RowCells& cells, const std::vector<std::string>& by) {
  std::vector<std::string> found;
  std::copy_if(by.begin(), by.end(), std::back_inserter(found),
               [&](const std::string& name) { return name != "trial" && cells.has_dimension(name); });
  return found;
}

std::vector<TableColumn> key_columns(const RowCells& first, const std::vector<std::string>& by) {
  std::vector<TableColumn> columns = {{.name = "path", .key = true}};
  if (first.cells() > 0)
    for (const SweptValue& swept : first.swept_values(0))
      if (swept.of_source) columns.push_back({.name = swept.name, .key = true});
  columns.push_back({.name = "swept", .key = true});
  for (const std::string& dimension : by) columns.push_back({.name = dimension, .key = true});
  return columns;
}

std::vector<TableCell> key_cells(const std::vector<TableColumn>& columns, const std::string& path,
                                 const RowCells& cells, std::int64_t cell, const RowGroup& group) {
  std::vector<TableCell> row;
  const std::vector<SweptValue> swept = cells.swept_values(cell);
  for (auto column = columns.begin(); column->name != "swept"; ++column) {
    const auto found =
        std::find_if(swept.begin(), swept.end(), [&](const SweptValue& value) { return value.name == column->name; });
    row.emplace_back(column->name == "path" ? path : found == swept.end() ? "-" : found->value);
  }
  row.emplace_back(cells.path_name(cell));
  row.insert(row.end(), group.labels.begin(), group.labels.end());
  return row;
}

MeasuredRows take(const std::vector<double>& values, const std::vector<RowPlace>& places, const RowGroup& group,
                  const std::vector<char>& keep) {
  MeasuredRows rows;
  for (const std::size_t row : group.rows) {
    if ((!keep.empty() && keep[row] == 0) || std::isnan(values[row])) continue;
    rows.values.push_back(values[row]);
    rows.places.push_back(places[row]);
  }
  return rows;
}

MedianAndP99 median_and_p99(const MeasuredRows& rows) {
  const std::vector<Estimate> found = correlated_quantiles(rows.places, rows.values, {0.5, 0.99});
  return {found[0], found[1]};
}

Estimate median_ratio(const MeasuredRows& ratio, std::size_t measured) {
  return 2 * ratio.values.size() < measured ? Estimate{} : median_and_p99(ratio).median;
}

Estimate mean_of(const MeasuredRows& rows) {
  const CorrelatedMean found = correlated_mean(sum_per_position(rows.places, rows.values));
  return {found.value, found.interval};
}

namespace {

Summary summarize_rows(const ResultsReader& reader, const std::string& kind, const std::vector<std::string>& by) {
  if (kind == "attention_error") return summarize_attention_error(reader, by);
  if (kind == "model_divergence") return summarize_model_divergence(reader, by);
  if (kind == "replay_error") return summarize_replay_error(reader, by);
  if (kind == "cache_cost") {
    if (!by.empty()) throw UsageError(fmt::format("a file of cache_cost has no rows to group by '{}'", by.front()));
    return summarize_cache_cost(reader);
  }
  if (kind == "bound_audit") {
    if (!by.empty()) throw UsageError(fmt::format("a file of bound_audit has no rows to group by '{}'", by.front()));
    return summarize_bound_audit(reader);
  }
  throw InputError(fmt::format("holds results of '{}', which have no summary", kind));
}

Summary summarize(const ResultsReader& reader, const std::vector<std::string>& by, const std::string& against) {
  const std::string kind = reader.text_attribute("/", "experiment");
  Summary summary = summarize_rows(reader, kind, by);
  if (against.empty()) return summary;
  if (kind == "attention_error")
    summary.tables.push_back(attention_against(reader, by, against));
  else if (kind == "model_divergence")
    summary.tables.push_back(divergence_against(reader, by, against));
  else
    throw UsageError(fmt::format("--against: a file of {} has no paths", kind));
  summary.footer += against_footer();
  return summary;
}

std::string without_colon(const std::string& title) {
  return title.ends_with(':') ? title.substr(0, title.size() - 1) : title;
}

/// Lines of at most kTextWidth characters, those behind the first set in by two.
std::string wrapped(const std::string& text) {
  std::string result;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (line.size() + 1 + word.size() > kTextWidth && !line.empty()) {
      result += line + "\n";
      line = "  " + word;
    } else {
      line += line.empty() ? word : " " + word;
    }
    begin = end + 1;
  }
  return result + line + "\n";
}

}  // namespace

Summary summarize(const std::filesystem::path& file, const std::vector<std::string>& by, const std::string& against) {
  for (auto name = by.begin(); name != by.end(); ++name)
    if (std::find(by.begin(), name, *name) != name) throw UsageError(fmt::format("--by names '{}' twice", *name));
  const ResultsReader reader(file);
  return naming_file(file, [&] { return summarize(reader, by, against); });
}

std::string format_summary(const Summary& summary, TableStyle style) {
  std::string text;
  for (const Table& table : summary.tables) {
    if (!text.empty()) text += '\n';
    text += format_table(table, style);
  }
  if (style == TableStyle::csv) return text;
  const char* item = style == TableStyle::markdown ? "- " : "";
  if (!summary.warnings.empty()) text += "\n";
  for (const std::string& warning : summary.warnings) {
    const std::string line = fmt::format("{}warning: {}", item, warning);
    text += style == TableStyle::brief || style == TableStyle::text ? wrapped(line) : line + "\n";
  }
  if (!summary.footer.empty()) text += "\n" + summary.footer;
  if (style == TableStyle::text)
    for (const Table& table : summary.tables)
      if (const std::vector<std::string> further = further_columns(table); !further.empty())
        text += wrapped(fmt::format("--wide also shows{}: {}",
                                    table.title.empty() ? "" : fmt::format(" of '{}'", without_colon(table.title)),
                                    fmt::join(further, ", ")));
  return text;
}

}  // namespace lacuna
