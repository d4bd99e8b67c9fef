// box, ball, mean, max: what each number is.
#include <gtest/gtest.h>

#include "support/random_shapes.hpp"
#include "support/rank_runner.hpp"
#include "support/wide_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// Keys (1, 0), (3, -2) | (0, 4), (2, 2) | (-1, -1); q = (2, -1); scale 1/2.
AttentionProblem five_keys() {
  RawProblem raw = problem_of({2, -1}, {{1, 0}, {3, -2}, {0, 4}, {2, 2}, {-1, -1}}, {{1}, {1}, {1}, {1}, {1}});
  raw.sm_scale = 0.5;
  return raw.build();
}

TEST(BlockRankers, AgreeWithHandNumbers) {
  const AttentionProblem problem = five_keys();
  // scores 1, 4 | -2, 1 | -1/2
  EXPECT_EQ(ranks_of("max", problem, 2, 0, 0).rank, (std::vector<double>{4, 1, -0.5}));
  EXPECT_EQ(ranks_of("mean", problem, 2, 0, 0).rank, (std::vector<double>{2.5, -0.5, -0.5}));
  // box of the first block [1, 3] x [-2, 0]: (2 * 3 + 2) / 2; of the second [0, 2] x [2, 4]: (4 - 2) / 2
  EXPECT_EQ(ranks_of("box", problem, 2, 0, 0).rank, (std::vector<double>{4, 1, -0.5}));
  // ball: centre (2, -1), radius sqrt 2: (5 + sqrt 10) / 2; centre (1, 3), radius sqrt 2: (-1 + sqrt 10) / 2
  const std::vector<double> ball = ranks_of("ball", problem, 2, 0, 0).rank;
  EXPECT_NEAR(ball[0], (5 + std::sqrt(10)) / 2, 1e-15);
  EXPECT_NEAR(ball[1], (-1 + std::sqrt(10)) / 2, 1e-15);
  EXPECT_EQ(ball[2], -0.5);
}

TEST(BlockRankers, CountTheirBytesByHand) {
  // three blocks, two channels, four bytes a number
  EXPECT_EQ(ranks_of("max", five_keys(), 2, 0, 0).cost.summary_bytes, 0);
  EXPECT_EQ(ranks_of("mean", five_keys(), 2, 0, 0).cost.summary_bytes, 3 * 2 * 4);
  EXPECT_EQ(ranks_of("box", five_keys(), 2, 0, 0).cost.summary_bytes, 3 * 4 * 4);
  EXPECT_EQ(ranks_of("ball", five_keys(), 2, 0, 0).cost.summary_bytes, 3 * 3 * 4);
}

/// f(rank of the block, wide scores of its keys, size of the products) over random blocks.
template <class F>
void for_each_block(const char* kind, F&& f) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 30);
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    Random random(seed);
    const Index block_size = random.integer(1, 20);
    const std::vector<double> rank = ranks_of(kind, problem, block_size, 0, 0).rank;
    double largest = 0;
    for (const Wide& s : wide.s) largest = std::max(largest, std::abs(to_double(s)));
    for (Index c = 0; c < problem.d_qk(); ++c)
      for (Index j = 0; j < problem.s_kv(); ++j)
        largest += problem.sm_scale * std::abs(problem.queries(0).at(0, c) * problem.keys(0).at(j, c));
    for (std::size_t b = 0; b < rank.size(); ++b) {
      const auto begin = wide.s.begin() + static_cast<Index>(b) * block_size;
      const auto end = wide.s.begin() + std::min<Index>((static_cast<Index>(b) + 1) * block_size, wide.visible());
      f(rank[b], WideVector(begin, end), largest, shape.describe());
    }
  }
}

TEST(BlockRankers, BoxAndBallBoundEveryScoreFromAbove) {
  for (const char* kind : {"box", "ball"}) {
    double loosest = 0;
    for_each_block(kind, [&](double rank, const WideVector& scores, double size, const std::string& name) {
      for (const Wide& s : scores) {
        ASSERT_GE(rank, to_double(s) - 1e-15 * size) << kind << "\n" << name;
        loosest = std::max(loosest, rank - to_double(s));
      }
      if (scores.size() == 1) {
        ASSERT_NEAR(rank, to_double(scores.front()), 1e-15 * size) << kind << "\n" << name;
      }
    });
    EXPECT_GT(loosest, 0.1);
  }
}

TEST(BlockRankers, MaxIsTheLargestScoreAndMeanTheirMean) {
  for_each_block("max", [&](double rank, const WideVector& scores, double size, const std::string& name) {
    ASSERT_NEAR(rank, to_double(*std::max_element(scores.begin(), scores.end())), 1e-15 * size) << name;
  });
  for_each_block("mean", [&](double rank, const WideVector& scores, double size, const std::string& name) {
    Wide sum = 0;
    for (const Wide& s : scores) sum += s;
    ASSERT_NEAR(rank, to_double(Wide(sum / scores.size())), 2e-15 * size) << name;
  });
}

TEST(BlockRankers, NewestBlockIsSummarisedOverTheRowsThatAreThere) {
  // 1, 2 | 3 : the third key alone, then with -5 beside it
  const RawProblem raw = problem_of({1.0}, {{1}, {2}, {3}, {-5}}, {{1}, {1}, {1}, {1}});
  RawProblem earlier = raw;
  earlier.query_position = {2};
  EXPECT_EQ(ranks_of("mean", earlier.build(), 2, 0, 0).rank, (std::vector<double>{1.5, 3}));
  EXPECT_EQ(ranks_of("mean", raw.build(), 2, 0, 0).rank, (std::vector<double>{1.5, -1}));
}

TEST(BlockRankers, GroupsAgreeByTheMeanWeightOfTheirHeads) {
  // two heads, three blocks: head 0 sees ranks log(1, 2, 5), head 1 log(4, 2, 2): mean weights (1/8 + 4/8) / 2, ...
  RawProblem raw =
      problem_of({1, 0}, {{0, std::log(4)}, {std::log(2), std::log(2)}, {std::log(5), std::log(2)}}, {{1}, {1}, {1}});
  raw.h_q = 2;
  raw.q = {1, 0, 0, 1};
  const AttentionProblem problem = raw.build();
  const auto ranker = BlockRankerRegistry::instance().at("max").open(1, problem);
  QueryView view(problem, kernels::plain_backend(), 0);
  const std::vector<Index> heads = {0, 1};
  std::vector<HeadCost> cost(2);
  GroupQuery group{view, heads, cost};
  const std::vector<double> score = ranker->rank(group);
  EXPECT_NEAR(std::exp(score[0]), 5 / 16.0, 1e-15);
  EXPECT_NEAR(std::exp(score[1]), 4 / 16.0, 1e-15);
  EXPECT_NEAR(std::exp(score[2]), 7 / 16.0, 1e-15);
  EXPECT_TRUE(cost[0].scored_every_key && cost[1].scored_every_key);
}

}  // namespace
}  // namespace lacuna
