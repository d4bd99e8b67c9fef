#include "analysis/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace lacuna {
namespace {

constexpr std::size_t kGap = 2;  // spaces between columns

std::string number_text(const NumberFormat& format, double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return format(x);
}

/// A column as it is printed.
struct TextColumn {
  std::vector<std::string> heading;  // its lines
  std::vector<std::string> cells;
  std::string group;
  bool left = false;
  bool key = false;
  std::size_t width = 0;
};

/// A name in pieces between which a line may end: behind a space, "/", "_", "-" or "+".
std::vector<std::string> pieces(const std::string& name) {
  std::vector<std::string> result(1);
  for (const char c : name) {
    result.back() += c;
    if (std::string_view(" /_-+").find(c) != std::string_view::npos) result.emplace_back();
  }
  return result;
}

std::string without_end_space(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Sets the column's width and puts its name on as many lines as that takes.
void set_heading(TextColumn& column, const std::string& name) {
  for (const std::string& cell : column.cells) column.width = std::max(column.width, cell.size());
  const std::vector<std::string> parts = pieces(name);
  for (const std::string& part : parts) column.width = std::max(column.width, without_end_space(part).size());
  std::string line;
  for (const std::string& part : parts) {
    if (without_end_space(line + part).size() > column.width) {
      column.heading.push_back(without_end_space(line));
      line.clear();
    }
    line += part;
  }
  column.heading.push_back(line);
}

using Columns = std::vector<const TextColumn*>;

std::size_t width_of(const Columns& columns) {
  std::size_t width = 0;
  for (const TextColumn* column : columns) width += column->width + kGap;
  return width - (columns.empty() ? 0 : kGap);
}

/// From `begin` on, the columns of one group; a single one that has none.
Columns run_of_group(const std::vector<TextColumn>& columns, std::size_t begin) {
  Columns run = {&columns[begin]};
  while (!columns[begin].group.empty() && begin + run.size() < columns.size() &&
         columns[begin + run.size()].group == columns[begin].group)
    run.push_back(&columns[begin + run.size()]);
  return run;
}

/// Makes room for "- NAME -" over each group.
void widen_for_groups(std::vector<TextColumn>& columns) {
  for (std::size_t begin = 0; begin < columns.size();) {
    const Columns run = run_of_group(columns, begin);
    const std::size_t wanted = columns[begin].group.empty() ? 0 : columns[begin].group.size() + 4;
    columns[begin].width += wanted - std::min(wanted, width_of(run));
    begin += run.size();
  }
}

std::vector<TextColumn> shown_columns(const Table& table, TableStyle style) {
  using enum TableColumn::Detail;
  std::vector<TextColumn> result;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if ((style != TableStyle::wide && column.detail == full_only) || is_empty(table, c)) continue;
    TextColumn shown{.heading = {},
                     .cells = {},
                     .group = column.group,
                     .left = column.left || column.key,
                     .key = column.key,
                     .width = 0};
    const bool interval = style != TableStyle::brief || column.detail == with_interval;
    for (const auto& row : table.rows) shown.cells.push_back(cell_text(column, row[c], interval));
    set_heading(shown, column.name);
    result.push_back(std::move(shown));
  }
  widen_for_groups(result);
  return result;
}

/// The key columns and as many others as fit, until all have had their turn. A group is broken only where it is wider
/// than a line.
std::vector<Columns> parts_of(const std::vector<TextColumn>& columns, std::size_t limit) {
  const auto others =
      std::find_if(columns.begin(), columns.end(), [](const TextColumn& column) { return !column.key; });
  Columns keys;
  for (auto key = columns.begin(); key != others; ++key) keys.push_back(&*key);
  std::vector<Columns> parts = {keys};
  const auto add = [&](const Columns& more) {
    if (parts.back().size() > keys.size() && width_of(parts.back()) + kGap + width_of(more) > limit)
      parts.push_back(keys);
    parts.back().insert(parts.back().end(), more.begin(), more.end());
  };
  for (auto begin = static_cast<std::size_t>(others - columns.begin()); begin < columns.size();) {
    const Columns run = run_of_group(columns, begin);
    begin += run.size();
    if (width_of(keys) + kGap + width_of(run) <= limit)
      add(run);
    else
      for (const TextColumn* column : run) add({column});
  }
  return parts;
}

std::string padded(const std::string& text, const TextColumn& column) {
  return column.left ? fmt::format("{:<{}}", text, column.width) : fmt::format("{:>{}}", text, column.width);
}

template <class TextOf>
std::string line_of(const Columns& columns, const TextOf& text_of) {
  std::string line;
  for (const TextColumn* column : columns) line += padded(text_of(*column), *column) + std::string(kGap, ' ');
  return without_end_space(line) + "\n";
}

/// "--- decoder_first ---  --- prefix_hit ---" over the columns of each group; nothing where no column has one.
std::string group_line(const Columns& columns) {
  std::string line;
  bool any = false;
  for (std::size_t begin = 0; begin < columns.size();) {
    std::size_t end = begin + 1;
    while (end < columns.size() && columns[end]->group == columns[begin]->group) ++end;
    const std::string& group = columns[begin]->group;
    const std::size_t width = width_of(Columns(columns.begin() + static_cast<std::ptrdiff_t>(begin),
                                               columns.begin() + static_cast<std::ptrdiff_t>(end)));
    any = any || !group.empty();
    line += group.empty() ? std::string(width, ' ') : fmt::format("{:-^{}}", fmt::format(" {} ", group), width);
    line += std::string(kGap, ' ');
    begin = end;
  }
  return any ? without_end_space(line) + "\n" : "";
}

std::string part_text(const Columns& columns, std::size_t rows) {
  std::string text = group_line(columns);
  std::size_t heading = 0;
  for (const TextColumn* column : columns) heading = std::max(heading, column->heading.size());
  for (std::size_t above = heading; above-- > 0;)
    text += line_of(columns, [&](const TextColumn& column) {
      return above < column.heading.size() ? column.heading[column.heading.size() - 1 - above] : std::string();
    });
  for (std::size_t row = 0; row < rows; ++row)
    text += line_of(columns, [&](const TextColumn& column) { return column.cells[row]; });
  return text;
}

}  // namespace

std::string cell_text(const TableColumn& column, const TableCell& cell, bool interval) {
  if (cell.kind == TableCell::Kind::text) return cell.text;
  const Estimate& estimate = cell.estimate;
  const std::string value = number_text(column.format, estimate.value);
  if (cell.kind == TableCell::Kind::number || !interval || std::isnan(estimate.value) ||
      std::isnan(estimate.interval.low))
    return value;
  const std::string low = number_text(column.format, estimate.interval.low);
  const std::string high = number_text(column.format, estimate.interval.high);
  return low == value && high == value ? value : fmt::format("{} [{}, {}]", value, low, high);
}

bool is_empty(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    const TableCell& cell = row[column];
    return cell.kind == TableCell::Kind::text ? cell.text.empty() || cell.text == "-" : std::isnan(cell.estimate.value);
  });
}

std::string table_text(const Table& table, TableStyle style) {
  const std::vector<TextColumn> columns = shown_columns(table, style);
  const std::size_t limit = style == TableStyle::wide ? std::numeric_limits<std::size_t>::max() : kTextWidth;
  std::string text = table.title.empty() ? "" : table.title + "\n";
  bool first = true;
  for (const Columns& part : parts_of(columns, limit)) {
    if (!first) text += '\n';
    text += part_text(part, table.rows.size());
    first = false;
  }
  return text;
}

}  // namespace lacuna
