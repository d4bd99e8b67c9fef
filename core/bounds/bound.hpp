// Bounds on the output error given the exact omitted mass. A bound kind is one file under core/bounds with its
// derivation above the code; each is a variable of /path/<name>, and `bound` is the smallest, plus what the path's own
// arithmetic and the ruler's rounding can add.
//
// Bounds are evaluated so that rounding cannot make them false: the omitted mass enters raised by its radius, and a
// computed sum of n non-negative terms, each within (d + 8) u of its value, is raised by 2 (n + d + 20) u.
#pragma once

#include <string>

#include "core/base/registry.hpp"
#include "core/metrics/path_judgement.hpp"

namespace lacuna {

/// Kept scores and values are exact, and the weights are renormalised.
inline bool is_pure_truncation(const PathTraits& traits) { return !traits.stores; }

struct BoundKind {
  std::string name;  ///< "bound_..."
  std::string long_name;
  bool (*applies)(const PathTraits&) = is_pure_truncation;
  double (*evaluate)(const PathJudgement&) = nullptr;
};
using BoundRegistry = Registry<BoundKind>;

/// The bound; +inf where the ruler cannot weigh the keys (exact_row.hpp: scores so large that their rounding moves
/// weights by more than 1e-3). Nothing is certified there.
double evaluate(const BoundKind& kind, const PathJudgement& row);

/// x, raised by the rounding of a sum over the row's keys of terms that hold norms of d_v channels.
double raised(const PathJudgement& row, double x);

/// Upper value of sum_part p_j ||v_j - o_S||, through the sums around õ: the weighted mean distance of a part.
double weighted_distance_upper(const PathJudgement& row, const PartSums& part);

/// The kinds that apply to a path, in the registry's order; none where the softmax does not run over the rows.
std::vector<const BoundKind*> bounds_of(const PathTraits& traits);

/// `bound` from the smallest of the bounds: + arithmetic_upper + radius of the measured error.
double composed_bound(const PathJudgement& row, double smallest);

/// !(error <= bound (1 + 1e-12) + radius): NaN counts as a violation, where the ruler could weigh the keys.
bool violates(const PathJudgement& row, double bound);

}  // namespace lacuna
