#include "core/model/dense_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linear/products.hpp"

namespace lacuna {
namespace {

constexpr Index kScores = 1 << 19;  ///< of a block, unless one query has more: 4 MiB
constexpr Index kRows = 96;         ///< (query, head) of a block

/// s [heads, rows] = sm q k^T for the heads of one query, or of several whose q and s lie side by side.
void score(const DenseBlock& block, Index first, Index queries, const double* k, Index rows, double* s,
           Index s_stride) {
  dot_rows({.a = block.q + first * block.heads * block.d_qk,
            .b = k,
            .y = s,
            .a_rows = queries * block.heads,
            .b_rows = rows,
            .n = block.d_qk,
            .a_stride = block.d_qk,
            .b_stride = block.d_qk,
            .y_stride = s_stride});
}

/// One row of scores on its way to weights.
struct SoftmaxRow {
  double m;
  double z = 0;

  /// s_j <- fl(sm d_j), and the maximum.
  void scale(double* s, Index n, double sm_scale) {
    double largest[8];  // one for each lane of a vector, since the order of a maximum does not matter
    std::fill_n(largest, 8, m);
    Index j = 0;
    for (; j + 8 <= n; j += 8)
      for (Index r = 0; r < 8; ++r) {
        s[j + r] *= sm_scale;
        largest[r] = s[j + r] > largest[r] ? s[j + r] : largest[r];
      }
    for (; j < n; ++j) m = std::max(m, s[j] *= sm_scale);
    for (const double of_lane : largest) m = std::max(m, of_lane);
  }
  /// s_j <- e_j, and the sum of all of them.
  void exponentiate(double* s, Index n) {
    for (Index first = 0; first < n; first += weigh_piece) {
      double sum = 0;
      for (Index j = first; j < std::min(n, first + weigh_piece); ++j) sum += s[j] = std::exp(s[j] - m);
      z += sum;
    }
  }
};

Index most(std::span<const SeenRows> seen, Index SeenRows::*count) {
  Index largest = 0;
  for (const SeenRows& of_query : seen) largest = std::max(largest, of_query.*count);
  return largest;
}

}  // namespace

std::vector<double> dense_attention(const DenseBlock& block) {
  const auto queries = static_cast<Index>(block.seen.size());
  const Index rows = queries * block.heads;
  const Index cached = most(block.seen, &SeenRows::cached), local = most(block.seen, &SeenRows::local);
  const Index stride = cached + local;
  thread_local std::vector<double> s;  // [queries, heads, stride]: cached rows, then local ones; kept between blocks
  if (static_cast<Index>(s.size()) < rows * stride) s.resize(rows * stride);
  std::vector<double> z(rows);
  std::vector<Index> count(rows);
  score(block, 0, queries, block.cached.k, cached, s.data(), stride);

  for (Index i = 0; i < queries; ++i) {
    const SeenRows& seen = block.seen[i];
    double* of_query = s.data() + i * block.heads * stride;
    if (seen.local > 0)
      score(block, i, 1, block.local.k + seen.local_begin * block.d_qk, seen.local, of_query + cached, stride);
    for (Index h = 0; h < block.heads; ++h) {
      const bool has_sink = !block.sink_logit.empty();
      const double sink = has_sink ? block.sink_logit[h] : -std::numeric_limits<double>::infinity();
      double* of_head = of_query + h * stride;
      SoftmaxRow row{sink};
      row.scale(of_head, seen.cached, block.sm_scale);
      row.scale(of_head + cached, seen.local, block.sm_scale);
      row.exponentiate(of_head, seen.cached);
      row.exponentiate(of_head + cached, seen.local);
      if (has_sink && seen.count() > 0) row.z += std::exp(sink - row.m);
      z[i * block.heads + h] = row.z;
      count[i * block.heads + h] = seen.cached;
    }
  }

  std::vector<double> o(rows * block.d_v, 0.0);
  WeighRows weigh{.p = s.data(),
                  .v = block.cached.v,
                  .o = o.data(),
                  .count = count.data(),
                  .p_rows = rows,
                  .width = block.d_v,
                  .p_stride = stride,
                  .v_stride = block.cached.v_stride,
                  .o_stride = block.d_v};
  weigh_rows(weigh);
  for (Index i = 0; i < queries; ++i) {
    if (block.seen[i].local == 0) continue;
    std::fill(count.begin(), count.end(), block.seen[i].local);
    weigh.p = s.data() + i * block.heads * stride + cached;
    weigh.v = block.local.v + block.seen[i].local_begin * block.local.v_stride;
    weigh.o = o.data() + i * block.heads * block.d_v;
    weigh.p_rows = block.heads;
    weigh.v_stride = block.local.v_stride;
    weigh_rows(weigh);
  }
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < block.d_v && z[row] > 0; ++c) o[row * block.d_v + c] /= z[row];
  return o;
}

namespace {

const double* doubles(const Rows& rows) {
  return rows.visit([]<class T>(const TypedRows<T>& view) -> const double* {
    if constexpr (std::is_same_v<T, double>)
      return view.base;
    else
      throw InternalError("dense attention of rows that are not double");
  });
}

DenseRows rows_of(const Rows& k, const Rows& v, bool is_shared, Index d_qk) {
  return {.k = doubles(k), .v = doubles(v), .v_stride = is_shared ? d_qk : v.width()};
}

/// Queries [begin, end) of the heads of one KV head, written to o [s_q, h_q, d_v] from query `begin` on.
void attend_queries(const AttentionProblem& problem, Index kv_head, Index begin, Index end, double* o) {
  const Index heads = problem.h_q() / problem.h_kv(), d_qk = problem.d_qk(), d_v = problem.d_v();
  std::vector<double> q;
  std::vector<SeenRows> seen;
  for (Index i = begin; i < end; ++i) {
    seen.push_back(problem.seen(problem.query_position[i]));
    for (Index h = kv_head * heads; h < (kv_head + 1) * heads; ++h) {
      const double* row = doubles(problem.queries(h)) + i * d_qk;
      q.insert(q.end(), row, row + d_qk);
    }
  }
  DenseBlock block{.q = q.data(),
                   .seen = seen,
                   .cached = rows_of(problem.keys(kv_head), problem.values(kv_head), problem.shared_kv(), d_qk),
                   .heads = heads,
                   .d_qk = d_qk,
                   .d_v = d_v,
                   .sm_scale = problem.sm_scale};
  if (problem.local.window > 0)
    block.local = rows_of(problem.local_keys(kv_head), problem.local_values(kv_head), problem.shared_kv(), d_qk);
  if (!problem.sink_logit.empty()) block.sink_logit = std::span(problem.sink_logit).subspan(kv_head * heads, heads);
  const std::vector<double> of_block = dense_attention(block);
  for (Index i = 0; i < end - begin; ++i)
    std::copy_n(of_block.begin() + i * heads * d_v, heads * d_v, o + (i * problem.h_q() + kv_head * heads) * d_v);
}

}  // namespace

std::vector<double> dense_attention(const AttentionProblem& problem, const EachIndex& each) {
  const Index heads = problem.h_q() / problem.h_kv();
  const Index scores_of_query = heads * (problem.s_kv() + problem.local.window);
  const Index queries =
      std::clamp<Index>(kScores / std::max<Index>(scores_of_query, 1), 1, std::max<Index>(kRows / heads, 1));
  const Index blocks = (problem.s_q() + queries - 1) / queries;
  std::vector<double> o(problem.s_q() * problem.h_q() * problem.d_v());
  each(problem.h_kv() * blocks, [&](Index number) {
    const Index begin = number / problem.h_kv() * queries;
    attend_queries(problem, number % problem.h_kv(), begin, std::min(begin + queries, problem.s_q()),
                   o.data() + begin * problem.h_q() * problem.d_v());
  });
  return o;
}

std::vector<double> dense_attention(const AttentionProblem& problem, Index query) {
  std::vector<double> o(problem.h_q() * problem.d_v());
  for (Index kv_head = 0; kv_head < problem.h_kv(); ++kv_head)
    attend_queries(problem, kv_head, query, query + 1, o.data());
  return o;
}

}  // namespace lacuna
