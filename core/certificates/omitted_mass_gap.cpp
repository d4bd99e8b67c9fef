// certificate_omitted_mass_gap: of a path that attends the keys with the best scores, one further score is enough. With
// s_(k+1) the best score of the t keys that were left out, and s_(k) the least of the k scores attended that are no
// worse,
//   Z_T <= t e^{s_(k+1)} ,  Z_S >= k e^{s_(k)} ,  so   delta <= 1 / ( 1 + (k / t) e^{s_(k) - s_(k+1)} ) .
// t = n - k where nothing but the best k is attended. A window or sink tokens beside them count where they score as
// well; local rows and the sink logit only add to Z_S.
#include "core/certificates/certificate.hpp"

namespace lacuna {
namespace {

double gap(const ReadRow& row) {
  if (!row.next) return 0;
  if (row.next->better == 0) return 1;
  const double log_odds =
      std::log(static_cast<double>(row.next->left_out)) - std::log(static_cast<double>(row.next->better));
  const double raised = difference_upper(log_odds, row.next->gap_lower) + 128 * kUnitRoundoff;
  return std::min(mass_of_log_odds(raised) * (1 + 16 * kUnitRoundoff) + kMassUnderflow, 1.0);
}

const bool registered = CertificateRegistry::instance().add(
    {.name = "certificate_omitted_mass_gap",
     .long_name = "upper bound on omitted_mass from the gap between the last score taken and the best one left out",
     .claim = Claim::omitted_mass_at_most,
     .applies = [](const CertifiedPath& path) { return path.takes_best_scores; },
     .evaluate = gap});

}  // namespace
}  // namespace lacuna
