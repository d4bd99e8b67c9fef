#include "experiments/bound_audit/search.hpp"

namespace lacuna {
namespace {

/// By how much a neighbour's ratio may lie below the current one, at the start of a climb.
constexpr double kFirstThreshold = 0.3;

/// How near the claim is to being false; instances that say nothing are the farthest.
double nearness(const Finding& finding) { return finding.counts ? finding.ratio : -1; }

bool is_worse(const Finding& a, const Finding& b) {
  return a.violated != b.violated ? a.violated : nearness(a) > nearness(b);
}

}  // namespace

WorstCase worst_case(const AuditedClaim& claim, const SearchSettings& settings, std::uint64_t seed, Index restart,
                     const std::function<void()>& evaluated) {
  Draws draws(seed, "bound_audit." + claim.name, static_cast<std::uint64_t>(restart));
  const auto judge = [&](AuditInstance instance) {
    const Finding finding = claim.evaluate(instance);
    return WorstCase{std::move(instance), finding, 1};
  };
  WorstCase current = judge(random_instance(settings.largest, claim.stored, draws));
  WorstCase worst = current;
  for (Index step = 1; step < settings.steps && !worst.finding.violated; ++step) {
    if (step % 64 == 0) evaluated();
    const double climbed = (static_cast<double>(step) / static_cast<double>(settings.steps) - 1.0 / 3) * 1.5;
    const bool climbs = climbed > 0;
    WorstCase next =
        judge(climbs ? neighbour(current.instance, draws) : random_instance(settings.largest, claim.stored, draws));
    const double threshold = climbs ? kFirstThreshold * (1 - climbed) : 0;
    if (is_worse(next.finding, current.finding) || nearness(next.finding) >= nearness(current.finding) - threshold)
      current = std::move(next);
    const Index evaluations = worst.evaluations + 1;
    if (is_worse(current.finding, worst.finding)) worst = current;
    worst.evaluations = evaluations;
  }
  return worst;
}

}  // namespace lacuna
