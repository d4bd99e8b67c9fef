#include "core/mechanism/norm.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace lacuna {

void rms_norm(std::span<double> x, std::span<const double> gamma, double eps) {
  LACUNA_ASSERT(gamma.empty() || gamma.size() == x.size());
  double square = 0;
  for (const double c : x) square += c * c;
  const double factor = 1 / std::sqrt(square / static_cast<double>(x.size()) + eps);
  for (std::size_t c = 0; c < x.size(); ++c) x[c] *= gamma.empty() ? factor : factor * gamma[c];
}

void layer_norm(std::span<double> x, std::span<const double> gamma, std::span<const double> beta, double eps) {
  LACUNA_ASSERT(gamma.empty() || gamma.size() == x.size());
  LACUNA_ASSERT(beta.empty() || beta.size() == x.size());
  const double n = static_cast<double>(x.size());
  double sum = 0;
  for (const double c : x) sum += c;
  const double mean = sum / n;
  double square = 0;
  for (const double c : x) square += (c - mean) * (c - mean);
  const double factor = 1 / std::sqrt(square / n + eps);
  for (std::size_t c = 0; c < x.size(); ++c) {
    x[c] = (x[c] - mean) * factor;
    if (!gamma.empty()) x[c] *= gamma[c];
    if (!beta.empty()) x[c] += beta[c];
  }
}

}  // namespace lacuna
