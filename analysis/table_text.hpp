// A table as text for a terminal: cells, headings over several lines, and the parts of a table that is too wide.
// Included by table.cpp only.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/table.hpp"

namespace lacuna {

/// "0.0123", "0.0123 [0.011, 0.014]", "-"; the interval where `interval` is set and an end reads otherwise than the
/// value.
std::string cell_text(const TableColumn& column, const TableCell& cell, bool interval);

/// Whether no line has anything in the column: each is "-" or an empty text.
bool is_empty(const Table& table, std::size_t column);

/// In the styles brief, text and wide.
std::string table_text(const Table& table, TableStyle style);

}  // namespace lacuna
