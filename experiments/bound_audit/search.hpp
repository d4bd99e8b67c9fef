// The adversarial search: the instance that brings a claim closest to being false, or over it.
//
// Random restarts. Each tries random instances, and then climbs from the worst of them through neighbours (one number,
// row, kept key, sink or scale is another, by a step of any size). Most bounds are attained by simple instances, where
// a greedy climb would end though others, more intricate, make a false bound false: so a neighbour may also be better
// for the claim, by a threshold that falls to 0 (threshold accepting: Dueck, Scheuer, J. Comput. Phys. 90 (1990)). A
// restart ends with its steps, or with the first instance that violates the claim.
#pragma once

#include <functional>
#include <optional>

#include "experiments/bound_audit/claim.hpp"

namespace lacuna {

struct SearchSettings {
  InstanceExtents largest;
  Index steps = 2000;  ///< instances that a restart tries, a third of them random
};

/// What one restart found.
struct WorstCase {
  AuditInstance instance;
  Finding finding;
  Index evaluations = 0;
};

/// The restart of that number: a function of the arguments alone. `evaluated` is called now and then, and may
/// throw.
WorstCase worst_case(const AuditedClaim& claim, const SearchSettings& settings, std::uint64_t seed, Index restart,
                     const std::function<void()>& evaluated);

}  // namespace lacuna
