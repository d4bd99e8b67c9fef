#include "analysis/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lacuna {
namespace {

using Lines = std::vector<std::vector<std::string>>;  // header first

std::string reading(const NumberFormat& format, double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return format(x);
}

std::string reading(const TableColumn& column, const TableCell& cell, bool intervals) {
  if (cell.kind == TableCell::Kind::text) return cell.text;
  const Estimate& estimate = cell.estimate;
  const std::string value = reading(column.format, estimate.value);
  if (cell.kind == TableCell::Kind::number || !intervals || std::isnan(estimate.value) ||
      std::isnan(estimate.interval.low))
    return value;
  return fmt::format("{} [{}, {}]", value, reading(column.format, estimate.interval.low),
                     reading(column.format, estimate.interval.high));
}

bool is_shown(const TableColumn& column, TableStyle style) {
  return style != TableStyle::brief || column.detail != TableColumn::Detail::full_only;
}

Lines readable_lines(const Table& table, TableStyle style) {
  Lines lines(table.rows.size() + 1);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if (!is_shown(column, style)) continue;
    const bool intervals = style != TableStyle::brief || column.detail == TableColumn::Detail::with_interval;
    lines.front().push_back(column.name);
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      lines[r + 1].push_back(reading(column, table.rows[r][c], intervals));
  }
  return lines;
}

std::string to_text(const Table& table, TableStyle style) {
  const Lines lines = readable_lines(table, style);
  std::vector<bool> left;
  for (const TableColumn& column : table.columns)
    if (is_shown(column, style)) left.push_back(column.left);
  std::vector<std::size_t> width(left.size(), 0);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  std::string text = table.title.empty() ? "" : table.title + "\n";
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t c = 0; c < line.size(); ++c)
      row += left[c] ? fmt::format("{:<{}}  ", line[c], width[c]) : fmt::format("{:>{}}  ", line[c], width[c]);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::string to_markdown(const Table& table) {
  const auto line_of = [](const std::vector<std::string>& cells) {
    std::string line = "|";
    for (std::string cell : cells) {
      for (std::size_t bar = cell.find('|'); bar != std::string::npos; bar = cell.find('|', bar + 2))
        cell.insert(bar, 1, '\\');
      line += " " + cell + " |";
    }
    return line + "\n";
  };
  const Lines lines = readable_lines(table, TableStyle::markdown);
  std::string text = table.title.empty() ? "" : "**" + table.title + "**\n\n";
  text += line_of(lines.front()) + "|";
  for (const TableColumn& column : table.columns) text += column.left ? " --- |" : " ---: |";
  text += "\n";
  for (std::size_t r = 1; r < lines.size(); ++r) text += line_of(lines[r]);
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(double x) { return std::isnan(x) ? "" : fmt::format("{}", x); }

std::string to_csv(const Table& table) {
  std::string text = table.title.empty() ? "" : "# " + table.title + "\n";
  const auto holds_estimates = [&](std::size_t c) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const auto& row) { return row[c].kind == TableCell::Kind::estimate; });
  };
  std::vector<std::string> fields;
  const auto end_line = [&] {
    text += fmt::format("{}\n", fmt::join(fields, ","));
    fields.clear();
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    fields.push_back(csv_field(name));
    if (holds_estimates(c)) fields.insert(fields.end(), {csv_field(name + " low"), csv_field(name + " high")});
  }
  end_line();
  for (const auto& row : table.rows) {
    for (const TableCell& cell : row) {
      fields.push_back(cell.kind == TableCell::Kind::text ? csv_field(cell.text) : csv_field(cell.estimate.value));
      if (cell.kind != TableCell::Kind::estimate) continue;
      fields.push_back(csv_field(cell.estimate.interval.low));
      fields.push_back(csv_field(cell.estimate.interval.high));
    }
    end_line();
  }
  return text;
}

}  // namespace

TableCell::TableCell(std::string words) : kind(Kind::text), text(std::move(words)) {}
TableCell::TableCell(const char* words) : TableCell(std::string(words)) {}
TableCell::TableCell(double number) : kind(Kind::number), estimate{number, {}} {}
TableCell::TableCell(const Estimate& found) : kind(Kind::estimate), estimate(found) {}

std::string short_number(double x) { return x == 0 ? "0" : fmt::format("{:.3g}", x); }

std::string binary_bytes(double count) {
  constexpr std::array<const char*, 4> units = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (count >= 9999.5 && unit + 1 < units.size()) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", count, units[unit]);
}

std::string decimal_bytes(double count) {
  constexpr std::array<const char*, 4> units = {"kB", "MB", "GB", "TB"};
  if (count < 1000) return fmt::format("{} B", count);
  std::size_t unit = 0;
  for (count /= 1000; count >= 1000 && unit + 1 < units.size(); count /= 1000) ++unit;
  return fmt::format("{:.3f} {}", count, units[unit]);
}

std::string format_table(const Table& table, TableStyle style) {
  if (style == TableStyle::csv) return to_csv(table);
  return style == TableStyle::markdown ? to_markdown(table) : to_text(table, style);
}

}  // namespace lacuna
