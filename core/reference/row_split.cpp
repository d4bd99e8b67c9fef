#include "core/reference/row_split.hpp"

#include <cmath>
#include <limits>

namespace lacuna {
namespace {

/// Where each visible key belongs.
enum class Part : std::uint8_t { kept, lost_selection, lost_pool, lost_replay };
constexpr int kParts = 4;

std::vector<Part> classify(const ExactRow& exact, const KeySet& kept, const KeySet& reachable, bool has_pool,
                           Index absent_local) {
  std::vector<Part> parts(exact.visible, has_pool ? Part::lost_pool : Part::lost_selection);
  std::fill_n(parts.begin() + exact.cached(), absent_local, Part::lost_replay);
  if (has_pool)
    for (const RowIndex j : reachable) parts[j] = Part::lost_selection;
  for (const RowIndex j : kept) {
    LACUNA_ASSERT(parts[j] == Part::lost_selection);  // each once, and within reach
    parts[j] = Part::kept;
  }
  return parts;
}

/// 0, or how far a part's largest score lies below the row's where that is beyond 600.
double log_scale_of(double largest, const ExactRow& exact) {
  const double below = largest - exact.m;
  return std::isfinite(below) && below < -600 ? below : 0;
}

}  // namespace

void PartSums::add(const PartSums& other) {
  if (!(other.z.value() > 0)) {
    count += other.count;
    distance_max = std::max(distance_max, other.distance_max);
    return;
  }
  if (!(z.value() > 0)) log_scale = other.log_scale;  // nothing to take along
  const double scale = std::max(log_scale, other.log_scale);
  rescale(scale);
  PartSums scaled = other;
  scaled.rescale(scale);
  count += scaled.count;
  z.add(scaled.z);
  numerator.add(scaled.numerator);
  rho += scaled.rho;
  distance_max = std::max(distance_max, scaled.distance_max);
  distance_sum += scaled.distance_sum;
  distance_rho_sum += scaled.distance_rho_sum;
}

void PartSums::rescale(double scale) {
  if (scale == log_scale) return;
  const double factor = std::exp(log_scale - scale);
  z = {z.hi * factor, z.lo * factor};
  numerator.scale(factor);
  rho *= factor;
  distance_sum *= factor;
  distance_rho_sum *= factor;
  log_scale = scale;
}

ValueBalls::ValueBalls(const Rows& values) {
  for (Index b = 0; b < values.rows() / kBlockSize; ++b)
    balls_.push_back(ball_of(values, key_range(b * kBlockSize, (b + 1) * kBlockSize)));
}

double ValueBalls::reach(const Rows& values, Index block, Index visible, const std::vector<double>& x) const {
  if ((block + 1) * kBlockSize <= visible) return distance(balls_[block].centre, x) + balls_[block].radius;
  const Ball seen = ball_of(values, key_range(block * kBlockSize, visible));
  return distance(seen.centre, x) + seen.radius;
}

RowSplit split_row(const ExactRow& exact, const Rows& values, const ValueBalls& balls, const KeySet& kept,
                   const KeySet& reachable, bool has_pool, Index absent_local, const std::vector<double>& o_path) {
  const Index d_v = values.width();
  RowSplit split(d_v);
  split.is_kept = std::vector<bool>(exact.visible, false);
  LACUNA_ASSERT(absent_local <= exact.local);
  LACUNA_ASSERT(kept.empty() || (kept.front() >= 0 && kept.back() < exact.visible));
  const std::vector<Part> parts = classify(exact, kept, reachable, has_pool, absent_local);
  PartSums* const sums[kParts] = {&split.kept, &split.lost_selection, &split.lost_pool, &split.lost_replay};
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  double largest[kParts] = {exact.has_sink ? exact.sink_logit : lowest, lowest, lowest, lowest};
  for (Index j = 0; j < exact.visible; ++j) {
    double& top = largest[static_cast<int>(parts[j])];
    top = std::max(top, exact.s[j]);
    split.is_kept[j] = parts[j] == Part::kept;
  }
  for (int p = 0; p < kParts; ++p) sums[p]->log_scale = log_scale_of(largest[p], exact);

  values.visit([&](const auto& v) {
    CompensatedSum omitted_in_block;
    for (Index j = 0; j < exact.visible; ++j) {
      PartSums& part = *sums[static_cast<int>(parts[j])];
      const double far = distance(v.row(j), o_path.data(), d_v);
      if (parts[j] == Part::lost_replay)
        split.blockwise_sum += exact.e[j] * far;
      else if (!split.is_kept[j])
        omitted_in_block.add(exact.e[j]);
      const double e = part.log_scale == 0 ? exact.e[j] : std::exp(exact.s[j] - (exact.m + part.log_scale));
      ++part.count;
      part.z.add(e);
      part.numerator.add(e, v.row(j));
      part.rho += e * exact.rho[j];
      part.distance_max = std::max(part.distance_max, far);
      part.distance_sum += e * far;
      part.distance_rho_sum += e * exact.rho[j] * far;

      if (j < exact.cached() && ((j + 1) % ValueBalls::kBlockSize == 0 || j + 1 == exact.cached())) {
        const double z = omitted_in_block.value();
        if (z > 0) split.blockwise_sum += z * balls.reach(values, j / ValueBalls::kBlockSize, exact.cached(), o_path);
        omitted_in_block = {};
      }
    }
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
