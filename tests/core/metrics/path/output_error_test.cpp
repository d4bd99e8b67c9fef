#include <gtest/gtest.h>

#include "support/judged_row.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Weights 1, 1, 2 with values (0, 0), (4, 0), (4, 6): o = (3, 3).
AttentionProblem three_keys() { return problem_of_scores({0, 0, std::log(2)}, {{0, 0}, {4, 0}, {4, 6}}).build(); }

TEST(OutputError, AgreesWithHandNumbers) {
  const AttentionProblem problem = three_keys();
  const WideRow wide = wide_row(problem, 0, 0);
  // pool {1, 2}: mean (4, 4); kept {2}: (4, 6)
  const JudgedRow judged(problem, 0, 0, answer_over(wide, {2}, {1, 2}), {.has_pool = true});
  EXPECT_NEAR(judged.metric("output_error"), std::sqrt(10), 1e-14);
  EXPECT_NEAR(judged.metric("output_error_pool"), std::sqrt(2), 1e-14);
  EXPECT_NEAR(judged.metric("output_error_selection"), 2, 1e-14);
  EXPECT_NEAR(judged.metric("output_error_relative"), std::sqrt(10.0 / 18), 1e-14);
  EXPECT_GT(judged.metric("error_radius"), 0);
  EXPECT_LT(judged.metric("error_radius"), 1e-13);
}

TEST(OutputError, IsThatOfTheAttendedKeysWhateverThePathComputed) {
  const AttentionProblem problem = three_keys();
  const WideRow wide = wide_row(problem, 0, 0);
  PathRow answer = answer_over(wide, {2}, {});
  const double honest = JudgedRow(problem, 0, 0, answer).metric("output_error");
  answer.o = {100, -100};
  const JudgedRow liar(problem, 0, 0, answer);
  EXPECT_EQ(liar.metric("output_error"), honest);
  EXPECT_FALSE(liar->path_attended_what_it_says());
  EXPECT_NEAR(liar->arithmetic_error, std::hypot(96, 106), 1e-12);
}

TEST(OutputError, RelativeToAZeroOutputIsInfiniteOrZero) {
  const AttentionProblem problem = problem_of_scores({0, 0}, {{1}, {-1}}).build();
  const WideRow wide = wide_row(problem, 0, 0);
  EXPECT_EQ(JudgedRow(problem, 0, 0, answer_over(wide, {0}, {})).metric("output_error_relative"), kInfinity);
  EXPECT_EQ(JudgedRow(problem, 0, 0, answer_over(wide, {0, 1}, {})).metric("output_error_relative"), 0);
}

TEST(OutputError, OfEqualValuesIsWithinItsRadiusOfZero) {
  // whatever is omitted, the mean is the same
  const AttentionProblem problem = problem_of_scores({0.3, 0.1, -2, 1}, {{0.1}, {0.1}, {0.1}, {0.1}}).build();
  const WideRow wide = wide_row(problem, 0, 0);
  const JudgedRow judged(problem, 0, 0, answer_over(wide, {1, 2}, {}));
  EXPECT_LE(judged.metric("output_error"), judged.metric("error_radius"));
}

}  // namespace
}  // namespace lacuna
