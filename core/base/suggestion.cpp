#include "core/base/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // d[i][j] = distance of the first i letters of a to the first j of b
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replacement = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replacement});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  const std::string* nearest = nullptr;
  std::size_t least = allowed + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (std::max(word.size(), candidate.size()) - shorter > allowed) continue;  // cannot be near
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= shorter || distance >= least) continue;  // nothing in common, or no better
    least = distance;
    nearest = &candidate;
  }
  return nearest == nullptr ? std::string() : fmt::format("; did you mean '{}'?", *nearest);
}

}  // namespace lacuna
