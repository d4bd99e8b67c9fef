// certificate_omitted_mass_lower: with Z_S the sum of what was attended, the sink included, and Z_b >= L_b the sum of
// the keys of block b that were not (unread_sum.hpp, Jensen's side; exact where they were scored),
//   delta = sum_b Z_b / (Z_S + sum_b Z_b)  >=  sum_b L_b / (Z_S + sum_b L_b) .
#include "core/certificates/certificate.hpp"

namespace lacuna {
namespace {

double lower(const ReadRow& row) {
  std::vector<double> logs;
  for (const UnreadBlock& block : row.unread) logs.push_back(block.z.lower);
  const double omitted = log_sum_exp(logs).lower;
  if (std::isinf(omitted)) return 0;
  const double mass = mass_of_log_odds(-difference_upper(row.attended.upper, omitted));
  return std::max(mass * (1 - 16 * kUnitRoundoff) - kMassUnderflow, 0.0);
}

const bool registered = CertificateRegistry::instance().add(
    {.name = "certificate_omitted_mass_lower",
     .long_name = "lower bound on omitted_mass from what was attended and block summaries alone",
     .claim = Claim::omitted_mass_at_least,
     .evaluate = lower});

}  // namespace
}  // namespace lacuna
