// A table of numbers and their intervals, as text for a terminal, as CSV and as Markdown.
//
// Text leaves out columns in which no line has anything, breaks the names of columns over several lines, and keeps to
// kTextWidth characters: a wider table is split into several, each with the columns that name the line.
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
/// The same of a number that is exact to about 1e-15 at best, such as a divergence: "<1e-15" for what lies between.
std::string above_rounding(double x);
/// "+0.0123", and "0.0000" for what rounds to it, whatever its sign.
std::string signed_number(double x);
/// "1536 B", "24.5 KiB".
std::string binary_bytes(double count);
/// "514.25 B", "890.000 MB": exact below a thousand.
std::string decimal_bytes(double count);
/// "514.2 B", "890 MB": four digits.
std::string short_decimal_bytes(double count);

struct TableColumn {
  enum class Detail {
    always,         ///< estimates without their intervals in a brief table
    with_interval,  ///< intervals in a brief table as well
    full_only       ///< absent from brief and text
  };
  std::string name;
  NumberFormat format = short_number;
  Detail detail = Detail::always;
  bool left = false;       ///< aligned
  bool key = false;        ///< names the line: aligned left, and in every part of a table that is split
  std::string group = {};  ///< over neighbouring columns of the same group; in CSV and Markdown before the name
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
  text,      ///< the same columns with intervals: "0.0123 [0.011, 0.014]"
  wide,      ///< text, all columns, lines of any length
  csv,       ///< RFC 4180, all columns; an estimate is three: NAME, NAME low, NAME high
  markdown,  ///< GitHub's tables, all columns
};
inline constexpr std::size_t kTextWidth = 120;  ///< characters of a line of brief and text

/// Every line ends in a newline. An interval whose ends read as the value does is left out of text and Markdown.
std::string format_table(const Table& table, TableStyle style);
/// The names of columns that brief and text leave out though lines have something in them, each once.
std::vector<std::string> further_columns(const Table& table);

}  // namespace lacuna
