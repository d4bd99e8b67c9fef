#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(Recall, AgreesWithHandNumbers) {
  // scores 3, 1, 2, 0: kept {0, 1, 3}, the best three are {0, 2, 1}
  const AttentionProblem problem =
      problem_of_scores({std::log(8), std::log(2), std::log(4), 0}, {{1}, {1}, {1}, {1}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {0, 1, 3}, {}));
  EXPECT_EQ(judged.metric("recall"), 2.0 / 3);
  EXPECT_EQ(judged.metric("recall_tie_credited"), 2.0 / 3);
  EXPECT_NEAR(judged.metric("recall_mass"), 11.0 / 14, 1e-15);
}

TEST(Recall, CreditsKeysThatTieWithTheLastOfTheTop) {
  // scores 1, 0, 0, 0, 0: kept {0, 4} scores like {0, 1}
  const AttentionProblem problem = problem_of_scores({1, 0, 0, 0, 0}, {{1}, {1}, {1}, {1}, {1}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {0, 4}, {}));
  EXPECT_EQ(judged.metric("recall"), 0.5);
  EXPECT_EQ(judged.metric("recall_tie_credited"), 1);
  EXPECT_EQ(judged.metric("recall_mass"), 1);
}

TEST(Recall, IsNotDefinedWhereNothingWasAttended) {
  const AttentionProblem problem = problem_of_scores({1, 0}, {{1}, {1}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {}, {}));
  for (const char* name : {"recall", "recall_tie_credited", "recall_mass"})
    EXPECT_TRUE(std::isnan(judged.metric(name))) << name;
}

TEST(Recall, StaysBetweenStrictCreditedAndOne) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 4);
    const RandomRow row = random_row(shape);
    if (row.kept.empty()) continue;
    const JudgedRow judged(row.problem, 0, 0, answer_over(row.wide, row.kept, row.reachable),
                           {.has_pool = row.has_pool});
    EXPECT_GE(judged.metric("recall"), 0) << shape.describe();
    EXPECT_LE(judged.metric("recall"), judged.metric("recall_tie_credited")) << shape.describe();
    EXPECT_LE(judged.metric("recall_tie_credited"), 1) << shape.describe();
    EXPECT_GE(judged.metric("recall_mass"), 0) << shape.describe();
    EXPECT_LE(judged.metric("recall_mass"), 1) << shape.describe();
  }
}

TEST(Recall, OfTheOracleIsOneAndNothingOfItsSizeOmitsLess) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const Parameters path = path_of({{"select.by", text("main")}, {"select.k", count(6)}});
    const PathRun run = run_path(problem, path);
    for (Index query = 0; query < shape.s_q; ++query)
      for (Index head = 0; head < shape.h_q; ++head) {
        if (run.rows[query][head].kept.empty()) continue;
        const JudgedRow judged(problem, head, query, run.rows[query][head]);
        EXPECT_EQ(judged.metric("recall"), 1) << shape.describe();
        EXPECT_EQ(judged.metric("recall_mass"), 1) << shape.describe();
      }
  }
}

TEST(Recall, OfARandomSelectionIsAboutKOverN) {
  const ProblemShape shape{.h_q = 2, .h_kv = 1, .s_q = 50, .n = 300, .d_qk = 8, .d_v = 2, .seed = 77};
  const AttentionProblem problem = random_problem(shape).build();
  const Parameters path = path_of({{"select.by", text("random")}, {"select.k", count(60)}});
  double sum = 0;
  double expected = 0;
  Index rows = 0;
  for (Index trial = 0; trial < 5; ++trial) {
    const PathRun run = run_path(problem, path, {.trial = trial});
    for (Index query = 0; query < 50; ++query)
      for (Index head = 0; head < 2; ++head) {
        sum += JudgedRow(problem, head, query, run.rows[query][head]).metric("recall");
        expected += 60.0 / static_cast<double>(251 + query);
        ++rows;
      }
  }
  // the recall of one row has standard deviation sqrt(p (1 - p) (n - k) / (n - 1) / k) < 0.05; 500 rows: 0.0022
  EXPECT_NEAR(sum / rows, expected / rows, 4 * 0.0022);
}

}  // namespace
}  // namespace lacuna
