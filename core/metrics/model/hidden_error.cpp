#include "core/metrics/model/hidden_error.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

/// (1); NaN where a norm is 0.
double cosine_of(std::span<const double> a, double norm_a, std::span<const double> b, double norm_b) {
  double sum = 0;
  double difference = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double u = a[c] / norm_a;
    const double v = b[c] / norm_b;
    sum += (u + v) * (u + v);
    difference += (u - v) * (u - v);
  }
  return (sum - difference) / (sum + difference);
}

}  // namespace

double hidden_norm(std::span<const double> h) { return std::sqrt(dot(h, h)); }

HiddenError hidden_error(std::span<const double> h, std::span<const double> h_approx) {
  LACUNA_ASSERT(h.size() == h_approx.size());
  double squares = 0;
  for (std::size_t c = 0; c < h.size(); ++c) squares += (h_approx[c] - h[c]) * (h_approx[c] - h[c]);
  const double norm = hidden_norm(h);
  return {.norm = std::sqrt(squares),
          .relative = std::sqrt(squares) / norm,
          .cosine = cosine_of(h, norm, h_approx, hidden_norm(h_approx)),
          .is_zero = std::ranges::equal(h, h_approx)};
}

}  // namespace lacuna
