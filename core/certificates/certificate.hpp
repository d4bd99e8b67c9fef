// Certificates: what can be said about the omitted mass and the output error from what was read alone. The bounds of
// core/bounds use the exact omitted mass, which only the harness knows; a certificate is what a system could compute
// while it runs, and stop or read on by. A certificate kind is one file under core/certificates with its derivation
// above the code; each is a variable of /path/<name>.
//
// They are evaluated so that rounding cannot make them false: exponential sums by their logarithms with radii
// (log_sum.hpp), block scores by unread_sum.hpp, results raised or lowered by their own rounding.
#pragma once

#include <string>
#include <vector>

#include "core/base/registry.hpp"
#include "core/certificates/read_row.hpp"

namespace lacuna {

/// What a certificate says about a row.
enum class Claim { omitted_mass_at_most, omitted_mass_at_least, output_error_at_most };

/// It opens blocks by summaries.
inline bool has_summaries(const CertifiedPath& path) { return path.block_size.has_value(); }

struct CertificateKind {
  std::string name = {};  ///< "certificate_..."
  std::string long_name = {};
  Claim claim = Claim::omitted_mass_at_most;
  bool (*applies)(const CertifiedPath&) = has_summaries;
  double (*evaluate)(const ReadRow&) = nullptr;
};
using CertificateRegistry = Registry<CertificateKind>;

/// The kinds that apply to a path, in the registry's order.
std::vector<const CertificateKind*> certificates_of(const CertifiedPath& path);

/// Whether what the harness measured contradicts `value`, beyond 1e-12 of it and the measurement's own radius: NaN
/// counts as a violation, where the ruler could weigh the keys.
bool violates(const PathJudgement& row, Claim claim, double value);

/// Room for masses that underflow, as PathJudgement::underflow().
inline constexpr double kMassUnderflow = 1e-290;

}  // namespace lacuna
