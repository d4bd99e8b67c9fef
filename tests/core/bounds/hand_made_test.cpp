// Cases where a bound is the error itself, and values by hand.
#include <gtest/gtest.h>

#include "support/bound_rows.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// error / bound of a path that keeps the given keys.
double ratio(const char* bound, const AttentionProblem& problem, const KeySet& kept) {
  const WideRow wide = wide_row(problem, 0, 0);
  const JudgedRow judged(problem, 0, 0, answer_over(wide, kept, {}));
  return to_double(Wide(wide.move(wide.all(), kept) / Wide(judged.bound(bound))));
}

TEST(TwoPointBounds, AreAttained) {
  // values v and -v: o - o_S = delta (-v - v). V = R = reach of the block = ||v||, the omitted value is 2 ||v|| from
  // the output, and the variance is 4 ||v||^2 delta (1 - delta)
  for (const double score : {0.0, 1.0, -3.0, -12.0, -30.0, -200.0, -620.0}) {
    const AttentionProblem problem = problem_of_scores({0, score}, {{3, -4}, {-3, 4}}).build();
    for (const BoundKind* kind : bounds_of({})) {
      const double attained = ratio(kind->name.c_str(), problem, {0});
      EXPECT_LE(attained, 1) << kind->name << " at score " << score;
      // the variance allows for the ruler's own error beside a standard deviation that shrinks with delta
      const bool shrinks = kind->name == "bound_variance" && score < -12;
      EXPECT_NEAR(attained, 1, shrinks ? 1 : 1e-12) << kind->name << " at score " << score;
    }
  }
}

TEST(TwoPointBounds, ShrinkWithTheMassHoweverSmall) {
  // e^-620 = 6e-270
  const AttentionProblem problem = problem_of_scores({0, -620}, {{3, -4}, {-3, 4}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {0}, {}));
  for (const BoundKind* kind : bounds_of({})) EXPECT_LT(kind->evaluate(*judged), 1e-140) << kind->name;
}

TEST(TwoPointBounds, OfAShiftedPairAreAttainedByAllButTheValueNorm) {
  // a shift of both values changes no difference: V = 7 + 5, R = 5
  const AttentionProblem problem = problem_of_scores({0, 1}, {{12}, {2}}).build();
  EXPECT_NEAR(ratio("bound_value_norm", problem, {0}), 10.0 / 24, 1e-12);
  for (const char* name : {"bound_centred", "bound_posterior", "bound_tail_mean", "bound_blockwise", "bound_variance"})
    EXPECT_NEAR(ratio(name, problem, {0}), 1, 1e-12) << name;
}

TEST(HandBounds, OfThreeKeysAndASink) {
  // weights 1, 1, 2, sink 4; values 8, 0, 4: o = 2; kept {0}: o_S = 8/5, error 2/5, delta = 3/8
  RawProblem raw = problem_of_scores({0, 0, std::log(2)}, {{8}, {0}, {4}});
  raw.sink_logit = {std::log(4)};
  const AttentionProblem problem = raw.build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {0}, {}));
  EXPECT_NEAR(judged->output_error.value, 0.4, 1e-15);
  EXPECT_NEAR(judged.bound("bound_value_norm"), 2 * 8 * 0.375, 1e-13);
  EXPECT_NEAR(judged.bound("bound_centred"), 2 * 4 * 0.375, 1e-13);  // c = 4: R = 4, of 8, of 0 and of the sink
  EXPECT_NEAR(judged.bound("bound_posterior"), 2.4 * 0.375, 1e-13);  // |4 - 1.6| > |0 - 1.6|
  EXPECT_NEAR(judged.bound("bound_tail_mean"), 1.6 / 8 + 2 * 2.4 / 8, 1e-13);
  EXPECT_NEAR(judged.bound("bound_blockwise"), 0.375 * (2.4 + 4), 1e-13);  // one block: c = 4, r = 4
  // variance (36 + 4 + 2 * 4 + 4 * 4) / 8 = 8, odds 3/5
  EXPECT_NEAR(judged.bound("bound_variance"), std::sqrt(0.6 * 8), 1e-13);
  EXPECT_NEAR(composed_bound(*judged, judged.smallest_bound()), 2.4 * 0.375 < 1 ? 0.8 : 0.9, 1e-13);
}

TEST(VarianceBounds, IsInfiniteWhereNothingIsAttended) {
  const AttentionProblem problem = problem_of_scores({0, 0}, {{1}, {2}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {}, {}));
  EXPECT_EQ(judged.bound("bound_variance"), std::numeric_limits<double>::infinity());
  EXPECT_LT(judged.smallest_bound(), 10);
}

TEST(VarianceBounds, BeatsTheCentredOneExactlyWhereTheoryNamesIt) {
  // sd / (2 R) < sqrt(delta (1 - delta))
  Index beats = 0;
  Index rows = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const RandomRow row = bound_row(seed);
    const JudgedRow judged(row.problem, 0, 0, answer_off_by(row, 0, seed));
    const double delta = judged->delta;
    if (!(delta > 1e-12 && delta < 1 - 1e-3) || attends_nothing(row)) continue;
    const double sd = std::sqrt(judged.exact().variance);
    const double left = sd / (2 * judged.exact().centred_radius);
    const double right = std::sqrt(delta * (1 - delta));
    if (!(std::abs(left / right - 1) > 1e-9)) continue;
    EXPECT_EQ(judged.bound("bound_variance") < judged.bound("bound_centred"), left < right) << "seed " << seed;
    beats += left < right;
    ++rows;
  }
  EXPECT_GT(beats, rows / 50);
  EXPECT_LT(beats, rows);
}

TEST(CentredBounds, AreNotMovedByAShiftOfAllValues) {
  RawProblem raw = random_problem({.n = 20, .d_qk = 3, .d_v = 2, .seed = 31});
  const AttentionProblem here = raw.build();
  for (Index j = 0; j < 20; ++j)
    for (Index c = 0; c < 2; ++c) raw.value(0, j, c) += 1024;
  const AttentionProblem there = raw.build();
  const KeySet kept = {1, 5, 7};
  const JudgedRow a(here, 0, 0, answer_over(wide_row(here, 0, 0), kept, {}));
  const JudgedRow b(there, 0, 0, answer_over(wide_row(there, 0, 0), kept, {}));
  for (const char* name : {"bound_centred", "bound_posterior", "bound_tail_mean", "bound_blockwise", "bound_variance"})
    EXPECT_NEAR(b.bound(name) / a.bound(name), 1, 1e-10) << name;
  EXPECT_GT(b.bound("bound_value_norm"), 100 * a.bound("bound_value_norm"));
}

}  // namespace
}  // namespace lacuna
