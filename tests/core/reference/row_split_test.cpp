#include "core/reference/row_split.hpp"

#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

RowSplit split_of(const RawProblem& raw, const KeySet& kept, const KeySet& reachable, bool has_pool,
                  const std::vector<double>& o_path) {
  const AttentionProblem problem = raw.build();
  const Rows values = problem.values(0);
  return split_row(testing_core::exact_of(problem, 0, 0), values, ValueBalls(values), kept, reachable, has_pool, 0,
                   o_path);
}

/// Weights 1, 2, 4, 8 relative to the last: e = 1/8, 1/4, 1/2, 1; values 0, 3, -1, 5.
RawProblem four_keys() { return problem_of_scores({0, std::log(2), std::log(4), std::log(8)}, {{0}, {3}, {-1}, {5}}); }

TEST(RowSplit, PutsEachKeyInOnePartByHand) {
  const RowSplit split = split_of(four_keys(), {1, 3}, {1, 2, 3}, true, {4.0});
  EXPECT_EQ(split.is_kept, (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(split.kept.count, 2);
  EXPECT_EQ(split.lost_selection.count, 1);
  EXPECT_EQ(split.lost_pool.count, 1);
  EXPECT_NEAR(split.kept.z.value(), 1.25, 1e-15);
  EXPECT_NEAR(split.lost_selection.z.value(), 0.5, 1e-15);
  EXPECT_NEAR(split.lost_pool.z.value(), 0.125, 1e-16);
  EXPECT_NEAR(split.kept.mean()[0], (0.25 * 3 + 5) / 1.25, 1e-14);
  EXPECT_NEAR(split.lost_selection.mean()[0], -1, 1e-15);
  EXPECT_EQ(split.kept.distance_max, 1);  // |3 - 4| = |5 - 4|
  EXPECT_EQ(split.lost_selection.distance_max, 5);
  EXPECT_NEAR(split.lost_selection.distance_sum, 2.5, 1e-14);
  EXPECT_NEAR(split.lost_pool.distance_sum, 0.5, 1e-15);
  // one block of four: mean 7/4, radius 13/4; weight omitted 5/8
  EXPECT_NEAR(split.blockwise_sum, 0.625 * ((4 - 1.75) + 3.25), 1e-14);
}

TEST(RowSplit, WithoutPoolEverythingIsWithinReach) {
  const RowSplit split = split_of(four_keys(), {0}, {}, false, {0.0});
  EXPECT_EQ(split.lost_pool.count, 0);
  EXPECT_EQ(split.lost_selection.count, 3);
  EXPECT_EQ(split.kept.count, 1);
}

TEST(RowSplit, CountsTheSinkAsKept) {
  RawProblem raw = four_keys();
  raw.sink_logit = {std::log(8)};
  const RowSplit split = split_of(raw, {}, {}, false, {0.0});
  EXPECT_EQ(split.kept.count, 0);
  EXPECT_NEAR(split.kept.z.value(), 1, 1e-15);
  EXPECT_EQ(split.kept.mean()[0], 0);
  EXPECT_NEAR(split.lost_selection.z.value(), 1.875, 1e-15);
}

TEST(RowSplit, RefusesKeysThatAreNotVisibleOrOutOfReach) {
  EXPECT_THROW(split_of(four_keys(), {4}, {}, false, {0.0}), InternalError);
  EXPECT_THROW(split_of(four_keys(), {-1}, {}, false, {0.0}), InternalError);
  EXPECT_THROW(split_of(four_keys(), {0}, {1, 2}, true, {0.0}), InternalError);
  EXPECT_THROW(split_of(four_keys(), {1, 1}, {}, false, {0.0}), InternalError);
}

TEST(RowSplit, PartsAgreeWithWideSums) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 20);
    const RandomRow row = random_row(shape);
    const PathRow answer = answer_over(row.wide, row.kept, row.reachable);
    const JudgedRow judged(row.problem, 0, 0, answer, {.has_pool = row.has_pool});
    const RowSplit& split = judged->split;
    const KeySet lost_pool = set_difference(row.wide.all(), row.reachable);
    const KeySet lost_selection = set_difference(row.reachable, row.kept);
    const double tolerance = judged.exact().rho_max + 1e-15;
    EXPECT_EQ(split.lost_pool.count, static_cast<Index>(lost_pool.size())) << shape.describe();
    EXPECT_EQ(split.lost_selection.count, static_cast<Index>(lost_selection.size())) << shape.describe();
    EXPECT_LE(relative_error(split.lost_pool.z.value(), row.wide.weight(lost_pool)), tolerance) << shape.describe();
    EXPECT_LE(relative_error(split.lost_selection.z.value(), row.wide.weight(lost_selection)), tolerance)
        << shape.describe();
    EXPECT_LE(relative_error(split.kept.z.value(), Wide(row.wide.weight(row.kept) + row.wide.sink_e)), tolerance)
        << shape.describe();
    Wide distance_sum = 0;
    for (const RowIndex j : lost_selection)
      distance_sum += row.wide.e[j] * wide_distance(row.wide.v[j], widen(answer.o));
    EXPECT_LE(relative_error(split.lost_selection.distance_sum, distance_sum), tolerance + 1e-14) << shape.describe();
  }
}

TEST(RowSplit, BallsReachEveryVisibleValueOfTheirBlock) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ProblemShape shape{.n = 53, .d_qk = 1, .d_v = 6, .value_shift = 3, .seed = seed};
    const AttentionProblem problem = random_problem(shape).build();
    const Rows values = problem.values(0);
    const ValueBalls balls(values);
    Random random(seed);
    std::vector<double> x(6);
    for (double& c : x) c = 4 * random.normal();
    for (const Index visible : {1, 15, 16, 17, 40, 53})
      for (Index j = 0; j < visible; ++j) {
        Wide square = 0;
        for (Index c = 0; c < 6; ++c) square += (Wide(values.at(j, c)) - x[c]) * (Wide(values.at(j, c)) - x[c]);
        EXPECT_LE(to_double(Wide(sqrt(square))),
                  balls.reach(values, j / ValueBalls::kBlockSize, visible, x) * (1 + 1e-14));
      }
  }
}

TEST(RowSplit, ABallOfANewestBlockIgnoresRowsToCome) {
  RawProblem raw = random_problem({.n = 40, .d_qk = 2, .d_v = 3, .seed = 9});
  RawProblem poisoned = raw;
  for (Index j = 20; j < 40; ++j) poisoned.poison(0, j);
  const AttentionProblem clean = raw.build();
  const AttentionProblem dirty = poisoned.build();
  const std::vector<double> x = {1, 2, 3};
  EXPECT_EQ(ValueBalls(clean.values(0)).reach(clean.values(0), 1, 20, x),
            ValueBalls(dirty.values(0)).reach(dirty.values(0), 1, 20, x));
}

}  // namespace
}  // namespace lacuna
