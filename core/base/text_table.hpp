// Lines of cells as columns of text.
#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// Columns two spaces apart, the first `left` of them flush left and the others flush right; no trailing spaces. Every
/// line has as many cells as the first.
std::string text_table(const std::vector<std::vector<std::string>>& lines, std::size_t left);

}  // namespace lacuna
