// How far a lightning indexer ranks keys as the main attention does, against the parameter that sets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/source/mechanism_case.hpp"

namespace lacuna {
namespace {

using testing_mechanism::count;
using testing_mechanism::Given;
using testing_mechanism::open;
using testing_mechanism::open_v41;

std::vector<double> ranks_of(const std::vector<double>& x) {
  std::vector<Index> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

/// Spearman's rho of values without ties.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double n = static_cast<double>(a.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * sum / (n * (n * n - 1));
}

double dot(const Rows& a, Index i, const Rows& b, Index j, Index width) {
  double sum = 0;
  for (Index c = 0; c < width; ++c) sum += a.at(i, c) * b.at(j, c);
  return sum;
}

/// Mean over queries of the rank correlation between index scores and main scores, summed over the heads.
double index_agreement(const AttentionProblem& problem) {
  const IndexTensors& index = problem.index.value();
  double sum = 0;
  Index queries = 0;
  for (Index i = 0; i < problem.s_q(); ++i) {
    const Index visible = problem.visible_keys(problem.query_position[i]);
    if (visible < 20) continue;
    std::vector<double> of_index(visible), of_main(visible);
    for (Index j = 0; j < visible; ++j) {
      for (Index h = 0; h < index.q.outer(); ++h)
        of_index[j] += index.weight[0].at(i, h) * std::max(dot(index.q[h], i, index.k[0], j, index.k.width()), 0.0);
      for (Index h = 0; h < problem.h_q(); ++h)
        of_main[j] += dot(problem.queries(h), i, problem.keys(problem.kv_head_of(h)), j, problem.d_qk());
    }
    sum += rank_correlation(of_index, of_main);
    ++queries;
  }
  return sum / static_cast<double>(queries);
}

TEST(IndexQuality, RaisesTheAgreementOfIndexAndMainScores) {
  for (const std::string kind : {"v4_csa", "v32", "v41_csa2"}) {
    SCOPED_TRACE(kind);
    std::vector<double> agreement;
    for (const double quality : {0.0, 0.8, 1.0}) {
      const Given given = {{"n", count(400)},         {"queries", count(20)},    {"d_model", count(32)},
                           {"head_dim", count(16)},   {"d_index", count(16)},    {"q_lora_rank", count(16)},
                           {"index_heads", count(8)}, {"index_quality", quality}};
      const auto source = kind == "v41_csa2" ? open_v41({2, 20, 24}, given) : open(kind, given);
      agreement.push_back(index_agreement(source->load(0, 0)));
    }
    // measured: -0.001, 0.58, 0.999 (v4_csa); 0.015, 0.49, 0.94 (v32); -0.001, 0.74, 1 (v41_csa2)
    EXPECT_LT(std::abs(agreement[0]), 0.15);
    EXPECT_GT(agreement[1], 0.3);
    EXPECT_GT(agreement[2], agreement[1] + 0.15);
  }
}

}  // namespace
}  // namespace lacuna
