#include "analysis/report/figure_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

nlohmann::ordered_json number(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::rint(value) && std::abs(value) < 9e15 && !std::signbit(value))
    return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

FigureTable::FigureTable(std::vector<FigureColumn> columns) : columns_(std::move(columns)), values_(columns_.size()) {}

std::size_t FigureTable::add(const std::vector<Cell>& row) {
  LACUNA_ASSERT(row.size() == columns_.size());
  for (std::size_t c = 0; c < row.size(); ++c) {
    Values& values = values_[c];
    if (const auto* text = std::get_if<std::string>(&row[c])) {
      LACUNA_ASSERT(values.numbers.empty());
      const auto found = std::find(values.levels.rbegin(), values.levels.rend(), *text);
      if (found == values.levels.rend()) {
        values.codes.push_back(values.levels.size());
        values.levels.push_back(*text);
      } else {
        values.codes.push_back(static_cast<std::size_t>(values.levels.rend() - found) - 1);
      }
    } else {
      LACUNA_ASSERT(values.levels.empty());
      values.numbers.push_back(std::get<double>(row[c]));
    }
  }
  return rows_++;
}

nlohmann::ordered_json FigureTable::json() const {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    nlohmann::ordered_json column;
    column["name"] = columns_[c].name;
    if (!columns_[c].units.empty()) column["units"] = columns_[c].units;
    if (!columns_[c].variable.empty()) column["variable"] = columns_[c].variable;
    if (!columns_[c].reduction.empty()) column["reduction"] = columns_[c].reduction;
    if (!values_[c].levels.empty()) {
      column["levels"] = values_[c].levels;
      column["codes"] = values_[c].codes;
    } else {
      auto numbers = nlohmann::ordered_json::array();
      for (const double value : values_[c].numbers) numbers.push_back(number(value));
      column["values"] = std::move(numbers);
    }
    columns.push_back(std::move(column));
  }
  return {{"columns", std::move(columns)}};
}

}  // namespace lacuna
