// Probabilistic guarantees: certificates that may be false with a stated probability. They need no summaries of values
// or means, only scores of some keys drawn at random and a limit that no score exceeds, so that they are of use where
// summaries say nothing. They are audited by the frequency of their failures (the experiment bound_audit) and decide no
// row's status.
//
// With t keys left out, u >= max_j s_j over them, and m of them drawn uniformly with replacement, the weights
//   x_i = e^{s_i - u} in [0, 1]   are independent with mean   mu = Z_T / (t e^u) ,
// and an upper limit of mu that holds with probability 1 - p is one of
//   delta = t e^u mu / (Z_S + t e^u mu) .                                                                       (1)
#pragma once

#include <span>
#include <string>

#include "core/attention/rows.hpp"
#include "core/base/registry.hpp"

namespace lacuna {

struct SampledRow {
  double log_attended = 0;          ///< log Z_S, the sink included
  Index left_out = 0;               ///< t
  double score_limit = 0;           ///< u
  std::span<const double> sampled;  ///< [m] scores, m >= 2
};

struct GuaranteeKind {
  std::string name = {};  ///< "guarantee_..."
  std::string long_name = {};
  /// What mu exceeds with a probability of p at most, 0 < p < 1, from x [m].
  double (*mean_upper)(std::span<const double> x, double p) = nullptr;
};
using GuaranteeRegistry = Registry<GuaranteeKind>;

/// What the omitted mass exceeds with a probability of p at most: (1), raised by 1e-12 of it.
double omitted_mass_upper(const GuaranteeKind& kind, const SampledRow& row, double p);

}  // namespace lacuna
