#include "core/reference/row_split.hpp"

#include <cmath>
#include <limits>

namespace lacuna {
namespace {

/// Mean and largest distance from it of rows [begin, end).
double ball(const Rows& values, Index begin, Index end, std::vector<double>& centre) {
  centre.assign(values.width(), 0.0);
  double radius = 0;
  values.visit([&](const auto& v) {
    for (Index j = begin; j < end; ++j)
      for (Index c = 0; c < v.width; ++c) centre[c] += static_cast<double>(v.row(j)[c]);
    for (double& c : centre) c /= static_cast<double>(end - begin);
    for (Index j = begin; j < end; ++j) radius = std::max(radius, distance(v.row(j), centre.data(), v.width));
  });
  return radius;
}

/// 0, or the distance of the kept keys' largest score (the sink's included) from the row's where it is beyond -600.
double log_scale_of(const ExactRow& exact, const KeySet& kept) {
  double largest = exact.has_sink ? exact.sink_logit : -std::numeric_limits<double>::infinity();
  for (const RowIndex j : kept) largest = std::max(largest, exact.s[j]);
  const double below = largest - exact.m;
  return std::isfinite(below) && below < -600 ? below : 0;
}

}  // namespace

void PartSums::add(const PartSums& other) {
  LACUNA_ASSERT(log_scale == 0);
  count += other.count;
  distance_max = std::max(distance_max, other.distance_max);
  if (other.log_scale != 0) return;  // below e^-600 of the row: nothing beside any part with the largest score
  z.add(other.z);
  numerator.add(other.numerator);
  rho += other.rho;
  distance_sum += other.distance_sum;
  distance_rho_sum += other.distance_rho_sum;
}

ValueBalls::ValueBalls(const Rows& values) {
  const Index blocks = values.rows() / kBlockSize;
  centre_.resize(blocks);
  radius_.resize(blocks);
  for (Index b = 0; b < blocks; ++b) radius_[b] = ball(values, b * kBlockSize, (b + 1) * kBlockSize, centre_[b]);
}

double ValueBalls::reach(const Rows& values, Index block, Index visible, const std::vector<double>& x) const {
  if ((block + 1) * kBlockSize <= visible) return distance(centre_[block], x) + radius_[block];
  std::vector<double> centre;
  const double radius = ball(values, block * kBlockSize, visible, centre);
  return distance(centre, x) + radius;
}

RowSplit split_row(const ExactRow& exact, const Rows& values, const ValueBalls& balls, const KeySet& kept,
                   const KeySet& reachable, bool has_pool, const std::vector<double>& o_path) {
  const Index d_v = values.width();
  RowSplit split{PartSums(d_v), PartSums(d_v), PartSums(d_v), 0, std::vector<bool>(exact.visible, false)};
  LACUNA_ASSERT(kept.empty() || (kept.front() >= 0 && kept.back() < exact.visible));
  split.kept.log_scale = log_scale_of(exact, kept);

  values.visit([&](const auto& v) {
    auto next_kept = kept.begin();
    auto next_reachable = reachable.begin();
    CompensatedSum omitted_in_block;
    for (Index j = 0; j < exact.visible; ++j) {
      PartSums* part = &split.lost_selection;
      if (has_pool) {
        while (next_reachable != reachable.end() && *next_reachable < j) ++next_reachable;
        if (next_reachable == reachable.end() || *next_reachable != j) part = &split.lost_pool;
      }
      if (next_kept != kept.end() && *next_kept == j) {
        LACUNA_ASSERT(part != &split.lost_pool);
        part = &split.kept;
        split.is_kept[j] = true;
        ++next_kept;
      } else {
        omitted_in_block.add(exact.e[j]);
      }
      const double far = distance(v.row(j), o_path.data(), d_v);
      const double e = part->log_scale == 0 ? exact.e[j] : std::exp(exact.s[j] - (exact.m + part->log_scale));
      ++part->count;
      part->z.add(e);
      part->numerator.add(e, v.row(j));
      part->rho += e * exact.rho[j];
      part->distance_max = std::max(part->distance_max, far);
      part->distance_sum += e * far;
      part->distance_rho_sum += e * exact.rho[j] * far;

      if ((j + 1) % ValueBalls::kBlockSize == 0 || j + 1 == exact.visible) {
        const double z = omitted_in_block.value();
        if (z > 0) split.blockwise_sum += z * balls.reach(values, j / ValueBalls::kBlockSize, exact.visible, o_path);
        omitted_in_block = {};
      }
    }
    LACUNA_ASSERT(next_kept == kept.end());
  });
  if (exact.has_sink) {
    const double far = norm(o_path);
    const double scale = split.kept.log_scale;
    const double e = scale == 0 ? exact.sink_e : std::exp(exact.sink_logit - (exact.m + scale));
    split.kept.z.add(e);
    split.kept.rho += e * exact.sink_rho;
    split.kept.distance_rho_sum += e * exact.sink_rho * far;
  }
  return split;
}

}  // namespace lacuna
