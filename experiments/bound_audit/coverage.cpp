#include "experiments/bound_audit/coverage.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/reference/compensated.hpp"
#include "experiments/bound_audit/draws.hpp"

namespace lacuna {
namespace {

constexpr double kFarBelow = -8;  // nat, of the smaller of two weights

std::vector<double> scores_of(const Population& population, Index count, std::uint64_t seed) {
  Draws draws(seed, "bound_audit.population." + population.name, 0);
  const auto large = static_cast<Index>(std::ceil(population.share * static_cast<double>(count)));
  std::vector<double> s(count);
  for (Index j = 0; j < count; ++j)
    s[j] = population.share > 0 ? (j < large ? 0 : kFarBelow) : population.deviation * draws.normal();
  return s;
}

}  // namespace

const std::vector<Population>& populations() {
  static const std::vector<Population> all = [] {
    std::vector<Population> result;
    for (const double share : {0.001, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9})
      result.push_back({.name = fmt::format("two weights, {} large", share), .share = share});
    for (const double deviation : {0.5, 1.0, 2.0, 4.0})
      result.push_back({.name = fmt::format("normal, deviation {}", deviation), .deviation = deviation});
    return result;
  }();
  return all;
}

Interval clopper_pearson(Index count, Index trials, double confidence) {
  using Binomial = boost::math::binomial_distribution<double>;
  const double one_side = (1 - confidence) / 2;
  const auto n = static_cast<double>(trials);
  const auto x = static_cast<double>(count);
  return {count == 0 ? 0 : Binomial::find_lower_bound_on_p(n, x, one_side),
          count == trials ? 1 : Binomial::find_upper_bound_on_p(n, x, one_side)};
}

Coverage coverage(const GuaranteeKind& kind, const Population& population, const CoverageSettings& settings,
                  std::uint64_t seed) {
  const std::vector<double> s = scores_of(population, settings.left_out, seed);
  double limit = -std::numeric_limits<double>::infinity();
  for (const double score : s) limit = std::max(limit, score);
  CompensatedSum sum;
  for (const double score : s) sum.add(std::exp(score - limit));

  Coverage found;
  found.omitted_mass = 0.5;
  std::vector<double> sampled(settings.sample);
  std::vector<double> bounds;
  Draws draws(seed, "bound_audit." + kind.name + "." + population.name, 0);
  for (Index trial = 0; trial < settings.trials; ++trial) {
    for (double& score : sampled) score = s[draws.integer(0, settings.left_out - 1)];
    const SampledRow row{.log_attended = limit + std::log(sum.value()),
                         .left_out = settings.left_out,
                         .score_limit = limit,
                         .sampled = sampled};
    bounds.push_back(omitted_mass_upper(kind, row, settings.probability));
    found.violations += !(found.omitted_mass <= bounds.back()) ? 1 : 0;
  }
  found.rate = clopper_pearson(found.violations, settings.trials, settings.confidence);
  found.failed = found.rate.lower > settings.probability;
  std::nth_element(bounds.begin(), bounds.begin() + settings.trials / 2, bounds.end());
  found.median_bound = bounds[settings.trials / 2];
  return found;
}

}  // namespace lacuna
