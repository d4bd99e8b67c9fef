#include "core/certificates/guarantee.hpp"

#include <vector>

#include "core/certificates/log_sum.hpp"

namespace lacuna {

double omitted_mass_upper(const GuaranteeKind& kind, const SampledRow& row, double p) {
  std::vector<double> x;
  for (const double s : row.sampled) x.push_back(std::exp(s - row.score_limit));
  const double mean = std::min(kind.mean_upper(x, p), 1.0);
  const double log_omitted = std::log(static_cast<double>(row.left_out)) + row.score_limit + std::log(mean);
  return std::min(mass_of_log_odds(log_omitted - row.log_attended) * (1 + 1e-12), 1.0);
}

}  // namespace lacuna
