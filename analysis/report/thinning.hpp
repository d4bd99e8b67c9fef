// Which of many things a figure shows: always a declared choice, with the first and the last.
#pragma once

#include <cstdint>
#include <vector>

namespace lacuna {

/// At most `most` (at least 1) of the indices 0 .. count - 1, evenly spread, with the first and the last.
inline std::vector<std::int64_t> evenly_spread(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  if (count <= most) {
    for (std::int64_t i = 0; i < count; ++i) chosen.push_back(i);
  } else if (most <= 1) {
    chosen.push_back(count / 2);
  } else {
    for (std::int64_t i = 0; i < most; ++i) chosen.push_back(i * (count - 1) / (most - 1));
  }
  return chosen;
}

}  // namespace lacuna
