#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(OmittedMass, SplitsByStageByHand) {
  // weights 1, 2, 4, 8, a sink of 1; pool holds the last three, the last is attended
  RawProblem raw = problem_of_scores({0, std::log(2), std::log(4), std::log(8)}, {{1}, {1}, {1}, {1}});
  raw.sink_logit = {0};
  const AttentionProblem problem = raw.build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {3}, {1, 2, 3}), {.has_pool = true});
  EXPECT_NEAR(judged.metric("omitted_mass_pool"), 1 / 16.0, 1e-16);
  EXPECT_NEAR(judged.metric("omitted_mass_selection"), 6 / 16.0, 1e-15);
  EXPECT_NEAR(judged.metric("omitted_mass"), 7 / 16.0, 1e-15);
}

TEST(OmittedMass, IsSummedFromTheTailNotAsOneMinusTheHead) {
  for (const double tail : {1e-20, 1e-200}) {
    const AttentionProblem problem =
        problem_of_scores({0, 0, std::log(tail), std::log(tail)}, {{1}, {2}, {3}, {4}}).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const JudgedRow judged(problem, 0, 0, answer_over(wide, {0, 1}, {}));
    EXPECT_NEAR(judged.metric("omitted_mass") / tail, 1, 1e-12);
    EXPECT_LE(relative_error(judged.metric("omitted_mass"), wide.mass({2, 3})), 1e-13);
  }
}

TEST(OmittedMass, ThePoolPartAppliesOnlyToPathsWithAPool) {
  const PathMetricKind& kind = PathMetricRegistry::instance().at("omitted_mass_pool");
  EXPECT_TRUE(kind.applies({.has_pool = true}));
  EXPECT_FALSE(kind.applies({.has_pool = false}));
}

TEST(OmittedMass, WindowAndSinkTokensCountAsWithinReach) {
  // 40 keys, a pool of 2 blocks of 4, window 5, 3 sink tokens, selection of 2
  const ProblemShape shape{.h_q = 2, .h_kv = 1, .s_q = 6, .n = 40, .d_qk = 4, .d_v = 3, .seed = 5};
  const AttentionProblem problem = random_problem(shape).build();
  const Parameters path = path_of({{"select.by", text("main")},
                                   {"select.k", count(2)},
                                   {"pool.blocks", count(2)},
                                   {"pool.block_size", count(4)},
                                   {"window", count(5)},
                                   {"sink_tokens", count(3)}});
  const PathRun run = run_path(problem, path);
  for (Index query = 0; query < 6; ++query)
    for (Index head = 0; head < 2; ++head) {
      const WideRow wide = wide_row(problem, head, query);
      const PathRow& answer = run.rows[query][head];
      const JudgedRow judged(problem, head, query, answer, PathTraits::of(path));
      KeySet out_of_reach;
      for (RowIndex j = 3; j < wide.visible() - 5; ++j)
        if (!std::binary_search(answer.reachable.begin(), answer.reachable.end(), j)) out_of_reach.push_back(j);
      for (RowIndex j = 0; j < 3; ++j) EXPECT_TRUE(std::count(answer.kept.begin(), answer.kept.end(), j) == 1);
      EXPECT_LE(relative_error(judged.metric("omitted_mass_pool"), wide.mass(out_of_reach)), 1e-13);
      EXPECT_LE(relative_error(judged.metric("omitted_mass"), wide.mass(set_difference(wide.all(), answer.kept))),
                1e-13);
    }
}

TEST(OmittedMass, OfTheExactPathIsZeroAndOfAFullBudgetToo) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    for (const Parameters& path :
         {path_of({}), path_of({{"select.by", text("main")}, {"select.k", count(shape.n)}}),
          path_of({{"select.by", text("main")}, {"select.k", 1.0}}), path_of({{"window", count(shape.n)}}),
          path_of({{"pool.blocks", count(shape.n)}, {"pool.block_size", count(3)}})}) {
      const PathRun run = run_path(problem, path);
      for (Index query = 0; query < shape.s_q; ++query)
        for (Index head = 0; head < shape.h_q; ++head) {
          if (problem.visible_keys(problem.query_position[query]) == 0) continue;
          const JudgedRow judged(problem, head, query, run.rows[query][head], PathTraits::of(path));
          for (const char* zero :
               {"omitted_mass", "omitted_mass_selection", "output_error", "output_error_selection",
                "output_error_relative", "error_radius", "kl_approx_exact", "kl_exact_approx", "total_variation"})
            EXPECT_EQ(judged.metric(zero), 0) << zero << "\n" << shape.describe();
          for (const char* one : {"recall", "recall_tie_credited", "recall_mass"})
            EXPECT_EQ(judged.metric(one), 1) << one << "\n" << shape.describe();
          EXPECT_TRUE(judged->path_attended_what_it_says());
        }
    }
  }
}

}  // namespace
}  // namespace lacuna
