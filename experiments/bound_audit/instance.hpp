// One query's attention, small enough to be looked at: what the search for a bound's worst case moves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/problem.hpp"
#include "core/base/parameter.hpp"
#include "experiments/bound_audit/draws.hpp"

namespace lacuna {

/// The largest instance that is tried.
struct InstanceExtents {
  Index keys = 12;
  Index channels = 4;  ///< of keys, and of values
};

struct AuditInstance {
  Index keys = 0;
  Index d_qk = 0;
  Index d_v = 0;
  Index block_size = 1;        ///< of the summaries that certificates read
  bool shared = false;         ///< K = V is one state: d_v = d_qk, and v is k
  std::optional<double> sink;  ///< logit
  double sm_scale = 1;
  std::string format;      ///< that the cache is kept in; empty: exactly
  std::vector<double> q;   // [d_qk]
  std::vector<double> k;   // [keys, d_qk]
  std::vector<double> v;   // [keys, d_v]
  std::vector<char> kept;  // [keys] whether the path attends the key; at least one it does not

  AttentionProblem problem() const;
  KeySet kept_keys() const;
};

/// Of any extents within the largest: sinks, shared states, keys and values that lie together or apart block by block,
/// values far from 0, repeated rows. `stored`: kept in one of the formats that such rows fit.
AuditInstance random_instance(const InstanceExtents& largest, bool stored, Draws& draws);

/// The parameters of a path that keeps its cache in a format.
Parameters stored_path(const std::string& format);

/// A neighbour: one number, row, kept key, sink or scale is another, by little or by much.
AuditInstance neighbour(AuditInstance instance, Draws& draws);

}  // namespace lacuna
