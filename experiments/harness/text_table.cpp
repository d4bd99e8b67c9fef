#include "experiments/harness/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna {

std::string format_table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], line[column].size());
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column)
      text += column == 0 ? fmt::format("{:<{}}", line[0], widths[0])
                          : fmt::format("  {:>{}}", line[column], widths[column]);
    text += '\n';
  }
  return text;
}

}  // namespace lacuna
