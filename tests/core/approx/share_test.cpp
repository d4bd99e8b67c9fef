#include "core/approx/share.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"
#include "support/wide_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(Share, GroupsHeadsByThemselvesKvHeadOrLayer) {
  const AttentionProblem problem = random_problem({.h_q = 6, .h_kv = 2, .n = 3}).build();
  const std::vector<Index> all = {0, 1, 2, 3, 4, 5};
  using Groups = std::vector<std::vector<Index>>;
  EXPECT_EQ(share_groups(problem, all, "head"), (Groups{{0}, {1}, {2}, {3}, {4}, {5}}));
  EXPECT_EQ(share_groups(problem, all, "kv_group"), (Groups{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(share_groups(problem, all, "layer"), (Groups{all}));
  EXPECT_EQ(share_groups(problem, {1, 2, 5}, "kv_group"), (Groups{{1, 2}, {5}}));
  EXPECT_TRUE(share_groups(problem, {}, "layer").empty());
}

TEST(Share, RanksByTheMeanWeightByHand) {
  // weights (1, 3) / 4 and (1, 1) / 2: means 3/8, 5/8
  const std::vector<double> score = shared_scores({{0, std::log(3)}, {7, 7}}, {0, 1});
  EXPECT_NEAR(std::exp(score[0]), 3 / 8.0, 1e-15);
  EXPECT_NEAR(std::exp(score[1]), 5 / 8.0, 1e-15);
}

TEST(Share, WeighsOverTheCandidatesAlone) {
  // key 1 is no candidate: what is left weighs (1, 1) / 2 and (1, 3) / 4
  const std::vector<double> score = shared_scores({{0, 99, 0}, {0, -5, std::log(3)}}, {0, 2});
  EXPECT_NEAR(std::exp(score[0]), 3 / 8.0, 1e-15);
  EXPECT_NEAR(std::exp(score[2]), 5 / 8.0, 1e-15);
  EXPECT_EQ(score[1], -std::numeric_limits<double>::infinity());
}

TEST(Share, AHeadAloneKeepsItsScores) {
  const std::vector<double> s = {0.1, -3, 1e5};
  EXPECT_EQ(shared_scores({s}, {0, 1, 2}), s);
}

TEST(Share, LosesNoCandidateToUnderflow) {
  // the second key weighs e^-2000 for both heads, and still ranks above the third
  const std::vector<double> score = shared_scores({{0, -2000, -2001}, {0, -2000, -2001}}, {0, 1, 2});
  EXPECT_GT(score[1], score[2]);
  EXPECT_NEAR(score[1], -2000, 1e-9);
}

/// Mean over the heads of the mass, under each head's softmax over the keys, of the keys outside the set.
Wide mean_omitted(const std::vector<WideRow>& rows, std::uint32_t set) {
  Wide sum = 0;
  for (const WideRow& row : rows) {
    Wide omitted = 0;
    Wide total = 0;
    for (Index j = 0; j < row.visible(); ++j) {
      total += row.e[j];
      if ((set >> j & 1U) == 0) omitted += row.e[j];
    }
    sum += omitted / total;
  }
  return sum / rows.size();
}

TEST(Share, ChoosesTheSetThatOmitsTheLeastMeanMass) {
  // against every set of k of n <= 8 keys
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    ProblemShape shape{.h_q = random.integer(2, 4), .h_kv = 1, .n = random.integer(2, 8), .d_qk = 3, .d_v = 1};
    shape.score_spread = random.one_of<double>({0.5, 2, 6});
    shape.seed = seed;
    const AttentionProblem problem = random_problem(shape).build();
    std::vector<WideRow> rows;
    for (Index head = 0; head < shape.h_q; ++head) rows.push_back(wide_row(problem, head, 0));
    for (Index k = 1; k < shape.n; ++k) {
      const PathRow row = last_row(run_path(
          problem, path_of({{"select.by", text("main")}, {"select.k", count(k)}, {"select.share", text("kv_group")}})));
      std::uint32_t chosen = 0;
      for (const RowIndex j : row.kept) chosen |= 1U << j;
      ASSERT_EQ(std::popcount(chosen), k);
      const Wide mine = mean_omitted(rows, chosen);
      for (std::uint32_t set = 0; set < 1U << shape.n; ++set) {
        if (std::popcount(set) != k) continue;
        ASSERT_TRUE(mine <= mean_omitted(rows, set) * Wide(1 + 1e-12))
            << shape.describe() << " k " << k << " set " << set;
      }
    }
  }
}

}  // namespace
}  // namespace lacuna
