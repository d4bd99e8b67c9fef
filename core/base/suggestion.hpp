// "did you mean": the nearest of the words that would have been right.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one word into the other (optimal
/// string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'blocks'?", or nothing when no candidate is near: at most a third of the word's letters wrong.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lacuna
