// A table for a terminal.
#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// Lines of equally many columns, the first of which is aligned to the left and the others to the right.
std::string format_table(const std::vector<std::vector<std::string>>& lines);

}  // namespace lacuna
