// A set of cached rows: ascending, each once.
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

using KeySet = std::vector<RowIndex>;

/// {begin, ..., end - 1}
inline KeySet key_range(Index begin, Index end) {
  KeySet keys(static_cast<std::size_t>(std::max<Index>(end - begin, 0)));
  std::iota(keys.begin(), keys.end(), static_cast<RowIndex>(begin));
  return keys;
}

/// Calls f(begin, end) for each run of consecutive rows.
template <class F>
void for_each_run(const KeySet& keys, F&& f) {
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t last = i;
    while (last + 1 < keys.size() && keys[last + 1] == keys[last] + 1) ++last;
    f(Index{keys[i]}, Index{keys[last]} + 1);
    i = last + 1;
  }
}

inline KeySet set_union(const KeySet& a, const KeySet& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  KeySet result;
  result.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

inline KeySet set_intersection(const KeySet& a, const KeySet& b) {
  KeySet result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

inline KeySet set_difference(const KeySet& a, const KeySet& b) {
  KeySet result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// Sorts and drops duplicates, so that any list becomes a set.
inline void make_set(KeySet& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace lacuna
