// Where the exact mass lies: by distance (query position - key position) in bins whose lower edges are 0 and the powers
// of two: {0}, {1}, {2, 3}, {4, ..., 7}, ... With a sink the bins do not sum to 1.
#include <bit>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

std::vector<std::int64_t> edges(Index farthest) {
  std::vector<std::int64_t> result = {0};
  for (Index edge = 1; edge <= farthest; edge *= 2) result.push_back(edge);
  return result;
}

void mass_by_distance(const ExactProfile& profile, std::span<const std::int64_t> edge, std::span<double> out) {
  const ExactRow& row = *profile.row;
  const Index position = profile.problem->query_position[profile.query];
  const SeenRows seen = profile.problem->seen(position);
  std::vector<CompensatedSum> bins(edge.size());
  for (Index j = 0; j < row.visible; ++j) {
    const auto distance = static_cast<std::uint64_t>(position - profile.problem->seen_position(seen, j));
    bins[std::min<std::size_t>(std::bit_width(distance), edge.size() - 1)].add(row.e[j]);
  }
  for (std::size_t i = 0; i < edge.size(); ++i) out[i] = bins[i].value() / row.z;
}

const bool registered = ExactMetricRegistry::instance().add(
    {.name = "mass_by_distance",
     .units = "1",
     .long_name = "exact attention mass of the keys whose distance from the query lies in [distance, next distance)",
     .dimension = ExactDimension{"distance", "1", "lower edge of the bin of query position - key position", edges},
     .evaluate = mass_by_distance});

}  // namespace
}  // namespace lacuna
