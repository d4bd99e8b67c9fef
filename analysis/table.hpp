// A table of numbers and their intervals, as text for a terminal, as CSV and as Markdown.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// How a number is shown on a terminal; CSV holds all its digits.
using NumberFormat = std::function<std::string(double)>;
/// "0.0123": three digits.
std::string short_number(double x);
/// "1536 B", "24.5 KiB".
std::string binary_bytes(double count);
/// "514.25 B", "890.000 MB": exact below a thousand.
std::string decimal_bytes(double count);

struct TableColumn {
  enum class Detail {
    always,         ///< estimates without their intervals in a brief table
    with_interval,  ///< intervals in a brief table as well
    full_only       ///< absent from a brief table
  };
  std::string name;
  NumberFormat format = short_number;
  Detail detail = Detail::always;
  bool left = false;  ///< aligned
};

/// A text, a number or an estimate. NaN is nothing: "-" for a reader, an empty field in CSV.
struct TableCell {
  enum class Kind { text, number, estimate };
  TableCell(std::string words);
  TableCell(const char* words);
  TableCell(double number);
  TableCell(const Estimate& found);

  Kind kind;
  std::string text;
  Estimate estimate;  ///< its value is the number
};

struct Table {
  std::string title;  ///< empty: none
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;  ///< [rows][columns]
};

enum class TableStyle {
  brief,     ///< text, without what is Detail::full_only
  text,      ///< text, all columns: "0.0123 [0.011, 0.014]"
  csv,       ///< RFC 4180; an estimate is three columns: NAME, NAME low, NAME high
  markdown,  ///< GitHub's tables
};

/// Every line ends in a newline.
std::string format_table(const Table& table, TableStyle style);

}  // namespace lacuna
