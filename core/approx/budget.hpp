// How many keys a selection may take, and taking them by score.
//
// Rule of ties: score descending, then index ascending. A budget is a count k, a fraction of the visible keys
// (k = ceil(fraction n)), or a mass: the smallest set that holds that share of the softmax over the candidates
// (top-p; a sink logit takes no part).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/approx/query_view.hpp"
#include "core/base/parameter.hpp"

namespace lacuna {

/// ceil(fraction * visible), as if the fraction were exact in decimal.
Index fraction_of(double fraction, Index visible);

class Budget {
 public:
  /// From "select.k" or "select.mass".
  static Budget from(const Parameters& path);
  static Budget of_keys(Index count);

  /// Keys to take of n visible ones; only for a count or a fraction.
  Index keys(Index visible) const;
  /// The candidates with the highest scores; scores [visible]. Charges the ties at the cut to every head.
  KeySet take(std::span<const double> scores, const KeySet& candidates, GroupQuery& query) const;

 private:
  enum class Kind { count, fraction, mass };
  Kind kind_ = Kind::count;
  Index count_ = 0;
  double share_ = 0;
};

/// "k" (count or fraction) and, if `with_mass`, "mass"; exactly one of the two must be given.
std::vector<ParameterSpec> budget_parameters(bool with_mass);
std::vector<ParameterFault> check_budget(const Parameters& path, bool with_mass);

}  // namespace lacuna
