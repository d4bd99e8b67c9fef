#include "experiments/bound_audit/claim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/bounds/bound.hpp"
#include "core/certificates/certificate.hpp"
#include "experiments/bound_audit/judged_instance.hpp"

namespace lacuna {
namespace {

/// Measurements nearer to their own radius than this say nothing about a ratio.
constexpr double kResolved = 1e9;
/// A path that omits nearly everything attains bounds on the mass whatever the keys are.
constexpr double kMostOmitted = 0.99;

Finding finding(const PathJudgement& row, double measured, double radius, double claimed, bool is_lower,
                bool violated) {
  Finding found{.measured = measured, .claimed = claimed, .omitted_mass = row.delta, .violated = violated};
  found.ratio = is_lower ? claimed / measured : measured / claimed;
  found.counts =
      row.is_weighed() && row.delta <= kMostOmitted && measured > kResolved * radius && std::isfinite(found.ratio);
  return found;
}

Finding output_finding(const PathJudgement& row, double bound) {
  return finding(row, row.output_error.value, row.output_error.radius, bound, false, violates(row, bound));
}

/// The smallest of the bounds on a truncation with everything that is added to it.
double composed(const PathJudgement& row) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const BoundKind* kind : bounds_of(*row.traits)) smallest = std::min(smallest, evaluate(*kind, row));
  return composed_bound(row, smallest);
}

Finding certificate_finding(const CertificateKind& kind, const JudgedInstance& judged) {
  const PathJudgement& row = judged.judgement();
  const double value = kind.evaluate(judged.read());
  const bool violated = violates(row, kind.claim, value);
  if (kind.claim == Claim::output_error_at_most) return output_finding(row, value);
  return finding(row, row.delta, row.delta * row.delta_relative_radius, value,
                 kind.claim == Claim::omitted_mass_at_least, violated);
}

}  // namespace

std::vector<AuditedClaim> audited_claims() {
  std::vector<AuditedClaim> claims;
  claims.push_back({"bound", "output error at most the smallest bound, arithmetic and radii added", false,
                    [](const AuditInstance& instance) {
                      const JudgedInstance judged(instance);
                      return output_finding(judged.judgement(), composed(judged.judgement()));
                    }});
  for (const BoundKind& kind : BoundRegistry::instance().kinds())
    claims.push_back({kind.name, "output error at most: " + kind.long_name, !kind.applies(PathTraits{}),
                      [&kind](const AuditInstance& instance) {
                        const JudgedInstance judged(instance);
                        return output_finding(judged.judgement(), evaluate(kind, judged.judgement()));
                      }});
  for (const CertificateKind& kind : CertificateRegistry::instance().kinds())
    claims.push_back({kind.name, kind.long_name, false, [&kind](const AuditInstance& instance) {
                        return certificate_finding(kind, JudgedInstance(instance));
                      }});
  return claims;
}

}  // namespace lacuna
