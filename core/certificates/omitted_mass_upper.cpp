// certificate_omitted_mass_upper: with Z_S the sum of what was attended, the sink included, and Z_b <= U_b the sum of
// the keys of block b that were not (unread_sum.hpp; exact where they were scored),
//   delta = sum_b Z_b / (Z_S + sum_b Z_b)  <=  sum_b U_b / (Z_S + sum_b U_b) ,
// since z / (Z_S + z) grows with z.
#include "core/certificates/certificate.hpp"

namespace lacuna {
namespace {

double upper(const ReadRow& row) {
  std::vector<double> logs;
  for (const UnreadBlock& block : row.unread) logs.push_back(block.z.upper);
  if (logs.empty()) return 0;
  const double omitted = log_sum_exp(logs).upper;
  if (std::isinf(omitted)) return 1;
  const double mass = mass_of_log_odds(difference_upper(omitted, row.attended.lower));
  return std::min(mass * (1 + 16 * kUnitRoundoff) + kMassUnderflow, 1.0);
}

const bool registered = CertificateRegistry::instance().add(
    {.name = "certificate_omitted_mass_upper",
     .long_name = "upper bound on omitted_mass from what was attended and block summaries alone",
     .claim = Claim::omitted_mass_at_most,
     .evaluate = upper});

}  // namespace
}  // namespace lacuna
