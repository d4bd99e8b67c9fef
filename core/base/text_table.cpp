#include "core/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna {

std::string text_table(const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  std::vector<std::size_t> widths(lines.empty() ? 0 : lines.front().size());
  for (const std::vector<std::string>& line : lines)
    for (std::size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], line[column].size());
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    std::string row;
    for (std::size_t column = 0; column < line.size(); ++column) {
      if (column > 0) row += "  ";
      row += column < left ? fmt::format("{:<{}}", line[column], widths[column])
                           : fmt::format("{:>{}}", line[column], widths[column]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

}  // namespace lacuna
