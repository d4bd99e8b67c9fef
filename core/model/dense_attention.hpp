// Exact attention in plain double: every query over every row that it sees, the bulk route of exact runs.
//
//   d_j = q . k_j ,  s_j = fl(sm d_j) ,  m = max_j s_j (the sink among them) ,  e_j = exp(fl(s_j - m)) ,
//   Z = sum_j e_j + e^{sink - m} ,  N = sum_j e_j v_j ,  o = N / Z                                                  (1)
//
// Scores of a block of queries times all rows come from dot_rows, weighted sums from weigh_rows (core/linear), in two
// passes with all scores in memory between them, so that no sum is rescaled. Rows a query does not see are neither
// scored on its account nor weighed. Each row of a result is a function of its query and the rows that the query
// sees, in one order: the same bits for a query alone and among others, for any number of threads. Z is summed in the
// order of weigh_rows: pieces of 128 rows.
//
// How far (1) is from exact, for one row. With u = 2^-53, gamma_n = n u / (1 - n u), A_j = sum_c |q_c k_jc|,
// B = sum_j e_j |v_j| channel by channel, n_c cached and n_l local rows, the sink a key of value 0 and sigma 0:
//
//   |s_j - exact| <= sigma_j = sm gamma_L A_j + u |s_j| ,         L = dot_roundings(d_qk)                           (2)
//   |e_j / exact - 1| <= rho_j = 1.01 (sigma_j + u |s_j - m| + 4u)                  (exp within 2 ulp)              (3)
//   |N - sum e_j v_j| <= gamma_W B ,  |Z / sum e_j - 1| <= gamma_(W+1) ,
//   W = min(max(n_c, n_l), 128) + ceil(n_c / 128) + ceil(n_l / 128)                                                 (4)
//   ||o - exact|| <= 1.01 [ sum_j p_j rho_j ||v_j - o|| + gamma_W ||B|| / Z + (gamma_(W+1) + 2u) ||o|| ]
//                  + sqrt(d_v) n 2^-1020 (1 + V) ,   V = max_j ||v_j||                                              (5)
//
// (2) and (4) are the bounds of core/linear/products.hpp. The first term of (5) is that of the ruler (exact_row.hpp):
// weights that are off by rho_j move the mean by at most that, to first order; the factor 1.01 holds the second order
// while max rho <= 1e-3, beyond which the radius is infinite. A rounding of m itself cancels in the quotient.
#pragma once

#include <span>
#include <vector>

#include "core/attention/problem.hpp"
#include "core/base/each_index.hpp"

namespace lacuna {

/// Rows of one KV head in one place.
struct DenseRows {
  const double* k = nullptr;  // [rows, d_qk]
  const double* v = nullptr;  // [rows, d_v], stride v_stride
  Index v_stride = 0;
};

/// Some queries of the query heads that share a KV head.
struct DenseBlock {
  const double* q = nullptr;                // [queries, heads, d_qk]
  std::span<const SeenRows> seen = {};      // [queries]
  std::span<const double> sink_logit = {};  // [heads], or empty
  DenseRows cached = {};
  DenseRows local = {};
  Index heads = 1;
  Index d_qk = 0;
  Index d_v = 0;
  double sm_scale = 1;
};

/// o [queries, heads, d_v]. A query that sees no row has output 0.
std::vector<double> dense_attention(const DenseBlock& block);

/// o [s_q, h_q, d_v] of a whole problem in double; the blocks go through `each`.
std::vector<double> dense_attention(const AttentionProblem& problem, const EachIndex& each = in_order);

/// o [h_q, d_v] of one of its queries.
std::vector<double> dense_attention(const AttentionProblem& problem, Index query);

/// Equation (5) for the row of one query and head of a problem in double; o [d_v], as `dense_attention` gave it.
double dense_attention_radius(const AttentionProblem& problem, Index head, Index query, std::span<const double> o);

}  // namespace lacuna
