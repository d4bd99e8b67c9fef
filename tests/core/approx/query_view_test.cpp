#include "core/approx/query_view.hpp"

#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"
#include "support/wide_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(QueryView, ScoresEveryVisibleKeyAndChargesForIt) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    for (Index query = 0; query < shape.s_q; ++query) {
      QueryView view(problem, kernels::plain_backend(), query);
      for (Index head = 0; head < shape.h_q; ++head) {
        HeadCost first, second;
        const auto s = view.scores(head, first);
        const WideRow wide = wide_row(problem, head, query);
        ASSERT_EQ(static_cast<Index>(s.size()), wide.visible());
        for (Index j = 0; j < wide.visible(); ++j) EXPECT_NEAR(s[j], to_double(wide.s[j]), 1e-13) << shape.describe();
        EXPECT_EQ(view.scores(head, second).data(), s.data()) << "computed once";
        EXPECT_TRUE(first.scored_every_key && second.scored_every_key) << "and charged to each that asks";
      }
    }
  }
}

TEST(QueryView, ScoresListedKeysToTheSameBits) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    QueryView view(problem, kernels::plain_backend(), shape.s_q - 1);
    for (Index head = 0; head < shape.h_q; ++head) {
      HeadCost cost;
      const auto every = view.scores(head, cost);
      KeySet listed;
      for (RowIndex j = 0; j < view.visible(); ++j)
        if (j % 5 != 2) listed.push_back(j);
      std::vector<double> s(view.visible(), -77.0);
      view.score_listed(head, listed, s);
      for (Index j = 0; j < view.visible(); ++j) EXPECT_EQ(s[j], j % 5 != 2 ? every[j] : -77) << shape.describe();
    }
  }
}

TEST(QueryView, KnowsItsPositionAndWhatIsVisible) {
  RawProblem raw = random_problem({.s_q = 3, .n = 5, .d_qk = 2, .d_v = 1});
  raw.key_position = {0, 4, 8, 12, 16};
  raw.query_position = {-1, 8, 11};
  const AttentionProblem problem = raw.build();
  const std::vector<Index> visible = {0, 3, 3};
  for (Index i = 0; i < 3; ++i) {
    QueryView view(problem, kernels::plain_backend(), i);
    EXPECT_EQ(view.position(), raw.query_position[i]);
    EXPECT_EQ(view.visible(), visible[i]);
    EXPECT_EQ(view.q(0), (std::vector<double>{raw.query(0, i, 0), raw.query(0, i, 1)}));
  }
}

TEST(KeySet, UnionDifferenceAndRange) {
  EXPECT_EQ(key_range(2, 5), (KeySet{2, 3, 4}));
  EXPECT_EQ(key_range(5, 2), KeySet{});
  EXPECT_EQ(set_union({1, 3}, {2, 3, 4}), (KeySet{1, 2, 3, 4}));
  EXPECT_EQ(set_union({}, {2}), (KeySet{2}));
  EXPECT_EQ(set_union({2}, {}), (KeySet{2}));
  EXPECT_EQ(set_difference({1, 2, 3}, {2, 9}), (KeySet{1, 3}));
  KeySet keys = {5, -1, 5, 2, -1};
  make_set(keys);
  EXPECT_EQ(keys, (KeySet{-1, 2, 5}));
}

}  // namespace
}  // namespace lacuna
