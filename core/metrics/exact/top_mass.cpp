// The Lorenz curve of the exact softmax at powers of two: the mass of the r heaviest keys.
#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

std::vector<std::int64_t> ranks(Index keys) {
  std::vector<std::int64_t> result;
  for (Index r = 1; r <= keys; r *= 2) result.push_back(r);
  return result;
}

void top_mass(const ExactProfile& profile, std::span<const std::int64_t> rank, std::span<double> out) {
  const ExactRow& row = *profile.row;
  CompensatedSum sum;
  Index taken = 0;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    for (; taken < std::min<Index>(rank[i], row.visible); ++taken) sum.add(row.e[profile.order[taken]]);
    out[i] = std::min(sum.value() / row.z, 1.0);
  }
}

const bool registered = ExactMetricRegistry::instance().add(
    {.name = "top_mass",
     .units = "1",
     .long_name = "exact attention mass of the `rank` keys with the highest scores",
     .dimension = ExactDimension{"rank", "1", "number of highest-scoring keys", ranks},
     .evaluate = top_mass});

}  // namespace
}  // namespace lacuna
