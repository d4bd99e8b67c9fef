// Paths with regions.
#pragma once

#include <vector>

#include "core/approx/region.hpp"
#include "support/path_runner.hpp"
#include "support/random.hpp"

namespace lacuna::testing_core {

inline Parameters region_path(const std::vector<Region>& regions, bool count_weight = true, Index sink_tokens = 0) {
  std::vector<std::int64_t> from, compress;
  std::vector<std::string> store;
  for (const Region& region : regions) {
    from.push_back(region.from);
    compress.push_back(region.compress);
    store.push_back(region.store);
  }
  return path_of({{"region.from", from},
                  {"region.compress", compress},
                  {"region.store", store},
                  {"region_count_weight", count_weight},
                  {"sink_tokens", count(sink_tokens)}});
}

/// One to four regions that nest; from `most` on at the farthest.
inline std::vector<Region> random_regions(Random& random, Index most,
                                          const std::vector<std::string>& formats = {"exact"}) {
  std::vector<Region> regions = {{0, random.one_of<Index>({1, 1, 1, 2, 3}), random.one_of(formats)}};
  for (Index more = random.integer(0, 3); more > 0 && regions.back().from < most; --more)
    regions.push_back({random.integer(regions.back().from + 1, most),
                       regions.back().compress * random.one_of<Index>({1, 2, 3, 4}), random.one_of(formats)});
  return regions;
}

}  // namespace lacuna::testing_core
