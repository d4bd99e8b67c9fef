// certificate_omitted_mass_next_score: of a path that attends the keys with the best scores, no key left out scores
// more than the best of them, s_(k+1). With t keys left out and Z_S the sum of what was attended, the sink included,
//   Z_T <= t e^{s_(k+1)} ,  so   delta <= t e^{s_(k+1)} / ( Z_S + t e^{s_(k+1)} ) .
// Never above certificate_omitted_mass_gap, which knows of Z_S only that it is no less than k e^{s_(k)}.
#include "core/certificates/certificate.hpp"

namespace lacuna {
namespace {

double next_score(const ReadRow& row) {
  if (!row.next) return 0;
  const double log_left_out = std::log(static_cast<double>(row.next->left_out));
  const double omitted = difference_upper(row.next->score_upper, -log_left_out) + 128 * kUnitRoundoff;
  const double mass = mass_of_log_odds(difference_upper(omitted, row.attended.lower));
  return std::min(mass * (1 + 16 * kUnitRoundoff) + kMassUnderflow, 1.0);
}

const bool registered = CertificateRegistry::instance().add(
    {.name = "certificate_omitted_mass_next_score",
     .long_name = "upper bound on omitted_mass from what was attended and the best score left out",
     .claim = Claim::omitted_mass_at_most,
     .applies = [](const CertifiedPath& path) { return path.takes_best_scores; },
     .evaluate = next_score});

}  // namespace
}  // namespace lacuna
