#include "core/reference/exact_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/reference/compensated.hpp"

namespace lacuna {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double u = kUnitRoundoff;

/// Scores s and their absolute error radii sigma, equation (1).
void score(const std::vector<double>& q, const Rows& keys, double sm_scale, ExactRow& row, std::vector<double>& sigma) {
  const Index d = static_cast<Index>(q.size());
  const double second_order = 3 * gamma(static_cast<double>(d)) * gamma(static_cast<double>(d));
  keys.visit([&](const auto& k) {
    for (Index j = 0; j < row.visible; ++j) {
      const DotResult dot = dot2(q.data(), k.row(j), d);
      row.s[j] = sm_scale * dot.value;
      row.absolute_dot_max = std::max(row.absolute_dot_max, dot.absolute);
      sigma[j] = sm_scale * (u * std::abs(dot.value) + second_order * dot.absolute) + u * std::abs(row.s[j]);
    }
  });
}

/// Equation (2) for one key.
void exponentiate(double s, double sigma, double m, double& e, double& rho) {
  const double t = s - m;
  e = std::exp(t);
  rho = 1.01 * (sigma + u * std::abs(t) + 4 * u);
}

}  // namespace

ExactRow exact_row(const Rows& queries, Index query, const Rows& keys, const Rows& values, Index visible,
                   double sm_scale, std::optional<double> sink_logit, Index local) {
  const Index d_v = values.width();
  ExactRow row;
  row.visible = visible;
  row.local = local;
  row.sink_logit = sink_logit.value_or(-kInfinity);
  row.has_sink = row.sink_logit > -kInfinity;  // a sink of logit -inf has no weight: it is none
  row.o.assign(d_v, 0.0);
  row.m = row.sink_logit;
  if (visible == 0) {
    row.z = row.has_sink ? 1 : 0;
    row.sink_e = row.z;
    row.log_sum_exp = row.m;
    return row;
  }

  std::vector<double> q(queries.width());
  for (Index c = 0; c < queries.width(); ++c) q[c] = queries.at(query, c);
  row.s.resize(visible);
  row.e.resize(visible);
  row.rho.resize(visible);
  score(q, keys, sm_scale, row, row.rho);  // rho holds sigma until the maximum is known
  for (const double s : row.s) row.m = std::max(row.m, s);
  for (const double s : row.s) row.score_magnitude_max = std::max({row.score_magnitude_max, std::abs(s), row.m - s});

  CompensatedSum z;
  for (Index j = 0; j < visible; ++j) {
    exponentiate(row.s[j], row.rho[j], row.m, row.e[j], row.rho[j]);
    z.add(row.e[j]);
    row.rho_max = std::max(row.rho_max, row.rho[j]);
  }
  if (row.has_sink) {
    exponentiate(row.sink_logit, 0, row.m, row.sink_e, row.sink_rho);
    z.add(row.sink_e);
    row.rho_max = std::max(row.rho_max, row.sink_rho);
  }
  row.z = z.value();
  row.log_sum_exp = row.m + std::log(row.z);

  std::vector<double> centre(d_v, 0.0);
  values.visit([&](const auto& v) {
    CompensatedVector numerator(d_v);
    for (Index j = 0; j < visible; ++j) {
      numerator.add(row.e[j], v.row(j));
      for (Index c = 0; c < d_v; ++c) centre[c] += static_cast<double>(v.row(j)[c]);
    }
    row.o = numerator.divided_by(row.z);
    for (double& c : centre) c /= static_cast<double>(visible);

    row.centre_norm = norm(centre);
    const std::vector<double> zero(d_v, 0.0);
    double spread = 0;  // sum p rho ||v - o||
    for (Index j = 0; j < visible; ++j) {
      const double from_output = distance(v.row(j), row.o.data(), d_v);
      row.value_norm_max = std::max(row.value_norm_max, distance(v.row(j), zero.data(), d_v));
      row.centred_radius = std::max(row.centred_radius, distance(v.row(j), centre.data(), d_v));
      spread += row.p(j) * row.rho[j] * from_output;
      row.rho_mean += row.p(j) * row.rho[j];
      row.variance += row.p(j) * from_output * from_output;
    }
    row.o_norm = norm(row.o);
    if (row.has_sink) {
      const double p_sink = row.sink_e / row.z;
      row.centred_radius = std::max(row.centred_radius, row.centre_norm);
      spread += p_sink * row.sink_rho * row.o_norm;
      row.rho_mean += p_sink * row.sink_rho;
      row.variance += p_sink * row.o_norm * row.o_norm;
    }
    const double n = static_cast<double>(visible + (row.has_sink ? 1 : 0));
    row.error_radius = !(row.rho_max <= 1e-3) || !std::isfinite(spread)
                           ? kInfinity
                           : 1.01 * (spread + 3 * u * row.o_norm + 6 * gamma(n) * gamma(n) * row.value_norm_max) +
                                 std::sqrt(static_cast<double>(d_v)) * n * 0x1p-1020 * (1 + row.value_norm_max);
  });
  return row;
}

}  // namespace lacuna
