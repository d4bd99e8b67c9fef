#include "analysis/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/table_text.hpp"

namespace lacuna {
namespace {

std::string full_name(const TableColumn& column) {
  return column.group.empty() ? column.name : fmt::format("{} {}", column.group, column.name);
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
  std::string text = table.title.empty() ? "" : "**" + table.title + "**\n\n";
  std::vector<std::string> cells;
  for (const TableColumn& column : table.columns) cells.push_back(full_name(column));
  text += line_of(cells) + "|";
  for (const TableColumn& column : table.columns) text += column.left || column.key ? " --- |" : " ---: |";
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) cells[c] = cell_text(table.columns[c], row[c], true);
    text += line_of(cells);
  }
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
    const std::string name = full_name(table.columns[c]);
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

/// Of 1000 bytes or more.
std::pair<double, const char*> in_decimal_unit(double count) {
  constexpr std::array<const char*, 4> units = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (count /= 1000; count >= 1000 && unit + 1 < units.size(); count /= 1000) ++unit;
  return {count, units[unit]};
}

}  // namespace

TableCell::TableCell(std::string words) : kind(Kind::text), text(std::move(words)) {}
TableCell::TableCell(const char* words) : TableCell(std::string(words)) {}
TableCell::TableCell(double number) : kind(Kind::number), estimate{number, {}} {}
TableCell::TableCell(const Estimate& found) : kind(Kind::estimate), estimate(found) {}

std::string short_number(double x) { return x == 0 ? "0" : fmt::format("{:.3g}", x); }

std::string above_rounding(double x) { return x != 0 && std::abs(x) < 1e-15 ? "<1e-15" : short_number(x); }

std::string signed_number(double x) { return std::abs(x) < 0.00005 ? "0.0000" : fmt::format("{:+.4f}", x); }

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
  if (count < 1000) return fmt::format("{} B", count);
  const auto [scaled, unit] = in_decimal_unit(count);
  return fmt::format("{:.3f} {}", scaled, unit);
}

std::string short_decimal_bytes(double count) {
  if (count < 1000) return fmt::format("{:.4g} B", count);
  const auto [scaled, unit] = in_decimal_unit(count);
  return fmt::format("{:.4g} {}", scaled, unit);
}

std::string format_table(const Table& table, TableStyle style) {
  if (style == TableStyle::csv) return to_csv(table);
  return style == TableStyle::markdown ? to_markdown(table) : table_text(table, style);
}

std::vector<std::string> further_columns(const Table& table) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if (column.detail != TableColumn::Detail::full_only || is_empty(table, c)) continue;
    if (std::find(names.begin(), names.end(), column.name) == names.end()) names.push_back(column.name);
  }
  return names;
}

}  // namespace lacuna
