#include <cmath>
#include <limits>

#include "core/linear/products.hpp"
#include "core/model/dense_attention.hpp"
#include "core/reference/compensated.hpp"

namespace lacuna {
namespace {

constexpr double u = kUnitRoundoff;

/// What (5) sums over the keys of a row, the weights e_j not yet divided by Z.
struct RadiusSums {
  double z = 0;
  double moved = 0;               ///< sum e_j rho_j ||v_j - o||
  std::vector<double> magnitude;  ///< [d_v] B
  double value_norm_max = 0;      ///< V
  double rho_max = 0;

  void add(double e, double rho, double from_output) {
    z += e;
    moved += e * rho * from_output;
    rho_max = std::max(rho_max, rho);
  }
};

/// Equation (3).
double relative_radius(double s, double sigma, double m) { return 1.01 * (sigma + u * std::abs(s - m) + 4 * u); }

/// Equation (4).
double weigh_count(const SeenRows& seen) {
  const auto pieces = [](Index n) { return (n + weigh_piece - 1) / weigh_piece; };
  return static_cast<double>(std::min(std::max(seen.cached, seen.local), weigh_piece) + pieces(seen.cached) +
                             pieces(seen.local));
}

}  // namespace

double dense_attention_radius(const AttentionProblem& problem, Index head, Index query, std::span<const double> o) {
  const SeenRows seen = problem.seen(problem.query_position[query]);
  const Index n = seen.count(), d_qk = problem.d_qk(), d_v = problem.d_v();
  if (n == 0) return 0;
  const Index kv_head = problem.kv_head_of(head);
  const Rows keys = problem.seen_keys(kv_head, seen), values = problem.seen_values(kv_head, seen);
  const double rounded = gamma(static_cast<double>(dot_roundings(d_qk)));

  std::vector<double> q(d_qk), s(n), sigma(n);
  for (Index c = 0; c < d_qk; ++c) q[c] = problem.queries(head).at(query, c);
  const double sink = problem.sink(head).value_or(-std::numeric_limits<double>::infinity());
  const bool has_sink = std::isfinite(sink);
  double m = sink;
  keys.visit([&](const auto& k) {
    for (Index j = 0; j < n; ++j) {
      double dot = 0, absolute = 0;
      for (Index c = 0; c < d_qk; ++c) {
        dot += q[c] * static_cast<double>(k.row(j)[c]);
        absolute += std::abs(q[c] * static_cast<double>(k.row(j)[c]));
      }
      s[j] = problem.sm_scale * dot;
      sigma[j] = std::abs(problem.sm_scale) * rounded * absolute + u * std::abs(s[j]);  // (2)
      m = std::max(m, s[j]);
    }
  });

  RadiusSums sums{.magnitude = std::vector<double>(d_v, 0.0)};
  const std::vector<double> zero(d_v, 0.0);
  values.visit([&](const auto& v) {
    for (Index j = 0; j < n; ++j) {
      const double e = std::exp(s[j] - m);
      sums.add(e, relative_radius(s[j], sigma[j], m), distance(v.row(j), o.data(), d_v));
      sums.value_norm_max = std::max(sums.value_norm_max, distance(v.row(j), zero.data(), d_v));
      for (Index c = 0; c < d_v; ++c) sums.magnitude[c] += e * std::abs(static_cast<double>(v.row(j)[c]));
    }
  });
  const double o_norm = norm({o.begin(), o.end()});
  if (has_sink) sums.add(std::exp(sink - m), relative_radius(sink, 0, m), o_norm);

  const double w = weigh_count(seen);
  const double radius =
      1.01 * (sums.moved / sums.z + gamma(w) * norm(sums.magnitude) / sums.z + (gamma(w + 1) + 2 * u) * o_norm) +
      std::sqrt(static_cast<double>(d_v)) * static_cast<double>(n + (has_sink ? 1 : 0)) * 0x1p-1020 *
          (1 + sums.value_norm_max);
  return sums.rho_max <= 1e-3 && std::isfinite(radius) ? radius : std::numeric_limits<double>::infinity();
}

}  // namespace lacuna
