// What is audited: every registered bound and certificate as a claim about an instance.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/bound_audit/instance.hpp"

namespace lacuna {

/// What an instance shows of a claim.
struct Finding {
  double measured = 0;      ///< what the claim is about, by the ruler
  double claimed = 0;       ///< the bound
  double omitted_mass = 0;  ///< by the ruler
  double ratio = 0;         ///< measured / claimed, or claimed / measured of a lower bound; above 1: false
  bool violated = false;    ///< beyond the ruler's own radius
  bool counts = false;      ///< the ruler resolves `measured`, and something of the mass is attended
};

struct AuditedClaim {
  std::string name;
  std::string long_name;
  bool stored = false;  ///< about paths that keep their cache in a format
  std::function<Finding(const AuditInstance&)> evaluate;
};

/// Every bound kind, `bound`, and every certificate kind, in the order of the registries.
std::vector<AuditedClaim> audited_claims();

}  // namespace lacuna
