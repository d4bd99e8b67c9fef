#include "core/certificates/certificate.hpp"

namespace lacuna {

std::vector<const CertificateKind*> certificates_of(const CertifiedPath& path) {
  std::vector<const CertificateKind*> result;
  for (const CertificateKind& kind : CertificateRegistry::instance().kinds())
    if (kind.applies(path)) result.push_back(&kind);
  return result;
}

bool violates(const PathJudgement& row, Claim claim, double value) {
  if (!row.is_weighed()) return false;
  constexpr double room = 1 + 1e-12;
  const double radius = row.delta * row.delta_relative_radius;
  switch (claim) {
    case Claim::omitted_mass_at_most:
      return !(row.delta <= value * room + radius);
    case Claim::omitted_mass_at_least:
      return !(value <= (row.delta + radius) * room);
    case Claim::output_error_at_most:
      return !(row.output_error.value <= value * room + row.output_error.radius);
  }
  throw InternalError("a certificate claims nothing");
}

}  // namespace lacuna
