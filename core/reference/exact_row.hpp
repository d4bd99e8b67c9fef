// The ruler: exact attention of one query, in double with compensated sums, with a rigorous radius on its own error.
//
// With u = 2^-53, gamma_n = n u / (1 - n u), Dot2 and Sum2 of compensated.hpp, and the sink (if any) as a key of
// score `sink_logit` and value 0:
//
//   d_j = Dot2(q, k_j),  A_j = sum_c |q_c k_jc|,  s_j = fl(sm d_j),
//   |s_j - exact| <= sigma_j = sm (u |d_j| + 3 gamma_d^2 A_j) + u |s_j|          (0 for the sink)               (1)
//   t_j = fl(s_j - m),   a_j = sigma_j + u |t_j|,   m = max_j s_j
//   e_j = exp(t_j),      |e_j / exact - 1| <= rho_j = 1.01 (a_j + 4u)             (exp within 2 ulp)            (2)
//   Z = Sum2(e),  o = Dot2(e, v) / Z,  p_j = e_j / Z
//   ||o - exact|| <= radius = 1.01 [ sum_j p_j rho_j ||v_j - o|| + 3u ||o|| + 6 gamma_n^2 V ]
//                             + sqrt(d_v) n 2^-1020 (1 + V),   V = max_j ||v_j||                                (3)
//
// (3) is first order in rho with the second order in the factor 1.01, which needs max rho <= 1e-3; beyond that the
// radius is infinite, which is a statement, not a failure. The last term covers weights that underflow.
// A relative perturbation common to all e_j cancels in the quotient; (3) does not use that.
#pragma once

#include <optional>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

/// What the query at one position sees: the first `visible` rows.
struct ExactRow {
  Index visible = 0;        ///< n, keys; 0: o = 0, log_sum_exp = -inf (a sink alone still has o = 0)
  Index local = 0;          ///< how many of them, the last ones, are local rows, which no stage chooses among
  std::vector<double> s;    ///< [n] scores
  std::vector<double> e;    ///< [n] exp(s_j - m)
  std::vector<double> rho;  ///< [n] relative error radius of e_j, (2)
  bool has_sink = false;
  double sink_logit = 0;
  double sink_e = 0;  ///< exp(sink - m), 0 without sink
  double sink_rho = 0;
  double m = 0;            ///< largest score, sink included
  double z = 0;            ///< sum of e_j and sink_e
  double log_sum_exp = 0;  ///< m + log z
  std::vector<double> o;   ///< [d_v] output
  double o_norm = 0;       ///< ||o||
  double rho_mean = 0;     ///< sum_j p_j rho_j, sink included
  double rho_max = 0;
  double error_radius = 0;         ///< (3)
  double score_magnitude_max = 0;  ///< max |s_j|, and the distance of the smallest from m
  double absolute_dot_max = 0;     ///< max A_j
  double value_norm_max = 0;       ///< V, over the visible keys
  double centre_norm = 0;          ///< ||c||, c = mean of the visible values
  double centred_radius = 0;       ///< max_j ||v_j - c||, c = mean of the visible values, and ||c|| with a sink
  double variance = 0;             ///< sum_j p_j ||v_j - o||^2 + p_sink ||o||^2

  double p(Index j) const { return e[j] / z; }
  /// Keys among which stages choose: all but the local ones.
  Index cached() const { return visible - local; }
};

/// q [d_qk]; keys [>= visible, d_qk]; values [>= visible, d_v]. Rows from `visible` on are never read.
ExactRow exact_row(const Rows& queries, Index query, const Rows& keys, const Rows& values, Index visible,
                   double sm_scale, std::optional<double> sink_logit, Index local = 0);

}  // namespace lacuna
