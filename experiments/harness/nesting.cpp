#include "experiments/harness/nesting.hpp"

#include <cstddef>
#include <numeric>
#include <vector>

namespace lacuna {
namespace {

/// The index of the last character of the string literal that starts at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view triple = quote == '"' ? R"(""")" : "'''";
  const bool many_lines = text.substr(begin, 3) == triple;
  std::size_t at = begin + (many_lines ? 3 : 1);
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      at += 2;
    } else if (many_lines && text.substr(at, 3) == triple) {
      at += 2;
      // up to two quotes may stand before the closing three
      for (int extra = 0; extra < 2 && at + 1 < text.size() && text[at + 1] == quote; ++extra) ++at;
      return at;
    } else if (!many_lines && (text[at] == quote || text[at] == '\n')) {
      return at;
    } else {
      ++at;
    }
  }
  return text.size() - 1;
}

Position position_of(std::string_view text, std::size_t at) {
  Position position;
  for (const char c : text.substr(0, at)) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {  // columns count code points
      ++position.column;
    }
  }
  return position;
}

}  // namespace

std::optional<Position> first_deeper_than(std::string_view text, int limit) {
  // levels[b] = dots since the last comma within the b-th open bracket (0: outside every bracket)
  std::vector<int> levels = {0};
  int depth = 0;  // open brackets and all dots within
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
      case '\'':
        at = end_of_string(text, at);
        if (text[at] == '\n') --at;  // an unclosed string: the line ends all the same
        break;
      case '#':
        while (at + 1 < text.size() && text[at + 1] != '\n') ++at;
        break;
      case '[':
      case '{':
        levels.push_back(0);
        ++depth;
        break;
      case ']':
      case '}':
        if (levels.size() > 1) {
          depth -= levels.back() + 1;
          levels.pop_back();
        }
        break;
      case '.':
        ++levels.back();
        ++depth;
        break;
      case '\n':
        if (levels.size() > 1) break;
        [[fallthrough]];
      case ',':
        depth -= levels.back();
        levels.back() = 0;
        break;
      default:
        break;
    }
    if (depth > limit) return position_of(text, at);
  }
  return std::nullopt;
}

}  // namespace lacuna
