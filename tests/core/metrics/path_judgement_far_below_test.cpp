// Rows whose attended or reachable keys lie so far below the largest score that their weights underflow.
#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

void expect_within(const std::string& what, const MeasuredError& error, const Wide& exact) {
  EXPECT_TRUE(abs(Wide(Wide(error.value) - exact)) <= Wide(error.radius))
      << what << ": " << error.value << " radius " << error.radius << " exact " << exact;
}

void expect_every_error(const JudgedRow& judged, const WideRow& wide, const KeySet& kept, const KeySet& reachable,
                        const std::string& name) {
  EXPECT_TRUE(judged->path_attended_what_it_says()) << name << ": an honest path is called a liar";
  const Wide mass = wide.mass(set_difference(wide.all(), kept));
  if (mass > Wide(1e-290)) {
    EXPECT_LE(relative_error(judged->delta, mass), judged->delta_relative_radius) << name;
  }
  const Wide out_of_reach = wide.mass(set_difference(wide.all(), reachable));
  const Wide not_selected = wide.mass(set_difference(reachable, kept));
  const double part_radius = 1.02 * (judged.exact().rho_max + judged.exact().rho_mean + 4 * kUnitRoundoff);
  EXPECT_NEAR(judged->delta_pool, to_double(out_of_reach), part_radius * to_double(out_of_reach) + 1e-290) << name;
  EXPECT_NEAR(judged->delta_selection, to_double(not_selected), part_radius * to_double(not_selected) + 1e-290) << name;
  expect_within(name + " output_error", judged->output_error, wide.move(wide.all(), kept));
  expect_within(name + " output_error_pool", judged->output_error_pool, wide.move(wide.all(), reachable));
  expect_within(name + " output_error_selection", judged->output_error_selection, wide.move(reachable, kept));
  for (const BoundKind* kind : bounds_of({}))
    EXPECT_FALSE(violates(*judged, kind->evaluate(*judged))) << kind->name << " " << name;
}

TEST(FarBelow, KeptKeysAreStillAveraged) {
  // e^-d of the one that was omitted: kept values 8 and 4 with weights 3 and 1
  for (const double below : {100.0, 600.0, 735.0, 745.0, 800.0, 2000.0, 1e5}) {
    const AttentionProblem problem = problem_of_scores({0, -below, -below - std::log(3)}, {{1}, {8}, {4}}).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const PathRow answer = answer_over(wide, {1, 2}, {});
    EXPECT_NEAR(answer.o[0], 7, 1e-10);
    const JudgedRow judged(problem, 0, 0, answer);
    EXPECT_EQ(judged->delta, 1);
    EXPECT_NEAR(judged->output_error.value, 6, 1e-10);
    expect_every_error(judged, wide, {1, 2}, wide.all(), fmt::format("{} below", below));
  }
}

TEST(FarBelow, AWholePoolIsStillAveraged) {
  // the largest score is out of reach; within reach, one key is kept and one is not
  for (const double below : {100.0, 600.0, 735.0, 745.0, 800.0, 2000.0, 1e5}) {
    const AttentionProblem problem = problem_of_scores({0, -below, -below - std::log(3)}, {{1}, {8}, {4}}).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const JudgedRow judged(problem, 0, 0, answer_over(wide, {1}, {1, 2}), {.has_pool = true});
    EXPECT_NEAR(judged->output_error.value, 7, 1e-10) << below;
    EXPECT_NEAR(judged->output_error_pool.value, 6, 1e-10) << below;
    EXPECT_NEAR(judged->output_error_selection.value, 1, 1e-10) << below;
    expect_every_error(judged, wide, {1}, {1, 2}, fmt::format("{} below", below));
  }
}

TEST(FarBelow, ASinkThatTowersLeavesAnOutputOfZero) {
  RawProblem raw = problem_of_scores({-2000, -2001}, {{8}, {4}});
  raw.sink_logit = {0};
  const AttentionProblem problem = raw.build();
  const WideRow wide = wide_row(problem, 0, 0);
  const JudgedRow judged(problem, 0, 0, answer_over(wide, {1}, {}));
  EXPECT_EQ(judged->delta, 0) << "e^-2000";
  expect_every_error(judged, wide, {1}, wide.all(), "sink");
}

TEST(FarBelow, RadiiCoverRowsOfHugeSpread) {
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    ProblemShape shape = random_shape(seed, 20, 6);
    shape.score_spread = std::vector<double>{200, 700, 3000, 1e5}[seed % 4];
    if (shape.data == Data::cancelling) shape.data = Data::gaussian;
    const RandomRow row = random_row(shape);
    const JudgedRow judged(row.problem, 0, 0, answer_over(row.wide, row.kept, row.reachable),
                           {.has_pool = row.has_pool});
    expect_every_error(judged, row.wide, row.kept, row.reachable, shape.describe());
  }
}

TEST(FarBelow, DivergencesKeepTheirDigitsAtHugeSpread) {
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    ProblemShape shape = random_shape(seed, 20, 3);
    shape.score_spread = std::vector<double>{200, 700, 3000, 1e5}[seed % 4];
    const RandomRow row = random_row(shape);
    const KeySet lost = set_difference(row.wide.all(), row.kept);
    const Wide z_kept = row.wide.weight(row.kept) + row.wide.sink_e;
    if (z_kept == 0) continue;
    const JudgedRow judged(row.problem, 0, 0, answer_over(row.wide, row.kept, row.reachable),
                           {.has_pool = row.has_pool});
    const double relative = 1e-13 + 8 * judged.exact().rho_max;
    const double variation = to_double(row.wide.mass(lost));
    EXPECT_NEAR(judged.metric("total_variation"), variation, relative * variation + 1e-290) << shape.describe();
    const double kl = to_double(Wide(log1p(Wide(row.wide.weight(lost) / z_kept))));
    EXPECT_NEAR(judged.metric("kl_approx_exact"), kl, relative * kl + 1e-290) << shape.describe();
  }
}

}  // namespace
}  // namespace lacuna
