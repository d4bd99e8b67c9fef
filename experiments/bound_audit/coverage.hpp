// The audit of probabilistic guarantees: how often is what they say with probability 1 - p false?
//
// A case is a population of scores. A trial draws a sample of it and asks the guarantee for its bound on the omitted
// mass with everything of the population left out, beside a sum attended that is as large. Of so many independent
// trials x contradict the truth; the Clopper-Pearson interval of the rate (Clopper, Pearson 1934; exact) says how far x
// is from what chance allows, and a guarantee fails only if the interval lies above p.
#pragma once

#include <string>
#include <vector>

#include "core/certificates/guarantee.hpp"

namespace lacuna {

struct CoverageSettings {
  Index trials = 20000;
  Index left_out = 4096;      ///< keys of a population
  Index sample = 64;          ///< scores of a trial
  double probability = 0.05;  ///< p
  double confidence = 0.999;  ///< of the interval
};

/// Populations that are hard for one guarantee or another: two weights, the larger a share of the keys, and normal
/// scores.
struct Population {
  std::string name;
  double share = 0;      ///< of keys with the larger weight; 0: the scores are normal
  double deviation = 0;  ///< of normal scores, nat
};
const std::vector<Population>& populations();

struct Interval {
  double lower = 0;
  double upper = 1;
};
/// The exact interval of a rate of which `count` of `trials` were seen; lower 0 at none, upper 1 at all.
Interval clopper_pearson(Index count, Index trials, double confidence);

/// What the trials of one case found.
struct Coverage {
  double omitted_mass = 0;  ///< the truth
  Index violations = 0;
  Interval rate;
  double median_bound = 0;  ///< over the trials
  bool failed = false;      ///< rate.lower > p
};

/// A function of the arguments alone.
Coverage coverage(const GuaranteeKind& kind, const Population& population, const CoverageSettings& settings,
                  std::uint64_t seed);

}  // namespace lacuna
