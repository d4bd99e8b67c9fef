// The judge against 113-bit arithmetic: masses, errors and their radii.
#include "core/metrics/path_judgement.hpp"

#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// The largest |measured - wide| / radius.
void expect_covered(const MeasuredError& measured, const Wide& exact, const std::string& name, double& worst) {
  const Wide off = abs(Wide(Wide(measured.value) - exact));
  ASSERT_TRUE(off <= Wide(measured.radius))
      << name << "\nmeasured " << measured.value << " exact " << exact << " radius " << measured.radius;
  if (measured.radius > 0) worst = std::max(worst, to_double(Wide(off / Wide(measured.radius))));
}

void expect_mass(double measured, const Wide& exact, double relative_radius, const std::string& name, double& worst) {
  if (exact == 0) {
    ASSERT_EQ(measured, 0) << name;
    return;
  }
  const double off = relative_error(measured, exact);
  ASSERT_LE(off, relative_radius) << name << " measured " << measured << " exact " << exact;
  worst = std::max(worst, off / relative_radius);
}

Wide wide_largest_value(const WideRow& row) {
  Wide largest = 1;
  for (const WideVector& value : row.v) largest = std::max(largest, wide_norm(value));
  return largest;
}

TEST(PathJudgement, RadiiCoverMassesAndErrorsOnThousandsOfRows) {
  double worst_mass = 0, worst_error = 0, worst_pool = 0, worst_selection = 0, worst_arithmetic = 0;
  for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
    const ProblemShape shape = random_shape(seed, 40, 30);
    const RandomRow row = random_row(shape);
    const JudgedRow judged(row.problem, 0, 0, answer_over(row.wide, row.kept, row.reachable),
                           {.has_pool = row.has_pool});
    const std::string name = shape.describe();
    const WideRow& wide = row.wide;
    const KeySet all = wide.all();
    const KeySet lost_pool = set_difference(all, row.reachable);
    const KeySet lost_selection = set_difference(row.reachable, row.kept);

    const KeySet lost = set_difference(all, row.kept);
    const double relative = judged->delta_relative_radius;
    expect_mass(judged->delta, wide.mass(lost), relative, name, worst_mass);
    if (HasFatalFailure()) return;
    // each part has its own radius: at most that of the whole row's worst weight
    const double part_radius = 1.02 * (judged.exact().rho_max + judged.exact().rho_mean + 4 * kUnitRoundoff);
    ASSERT_LE(relative_error(judged->delta_pool, wide.mass(lost_pool)), part_radius) << name;
    ASSERT_LE(relative_error(judged->delta_selection, wide.mass(lost_selection)), part_radius) << name;
    ASSERT_NEAR(judged->delta, judged->delta_pool + judged->delta_selection, 4e-16 * judged->delta) << name;

    expect_covered(judged->output_error, wide.move(all, row.kept), name, worst_error);
    if (HasFatalFailure()) return;
    expect_covered(judged->output_error_pool, wide.move(all, row.reachable), name, worst_pool);
    if (HasFatalFailure()) return;
    expect_covered(judged->output_error_selection, wide.move(row.reachable, row.kept), name, worst_selection);
    if (HasFatalFailure()) return;
    // the same as a plain difference of outputs, where 113 bits hold it
    const Wide difference = wide_distance(wide.o(), wide.output(row.kept));
    ASSERT_TRUE(abs(Wide(difference - wide.move(all, row.kept))) <= Wide(1e-30) * wide_largest_value(wide)) << name;
    ASSERT_TRUE(judged->output_error_pool.value + judged->output_error_selection.value >=
                judged->output_error.value * (1 - 1e-12) - judged->output_error.radius)
        << name << ": the telescope's parts fall short of the whole";

    // the output was rounded once from the exact one: the path is believed, with room
    ASSERT_TRUE(judged->path_attended_what_it_says()) << name;
    if (judged->arithmetic_radius > 0)
      worst_arithmetic = std::max(worst_arithmetic, judged->arithmetic_error / judged->arithmetic_radius);
  }
  RecordProperty("worst_mass", fmt::format("{:.3f}", worst_mass));
  RecordProperty("worst_error", fmt::format("{:.3f}", worst_error));
  RecordProperty("worst_pool", fmt::format("{:.3f}", worst_pool));
  RecordProperty("worst_selection", fmt::format("{:.3f}", worst_selection));
  RecordProperty("worst_arithmetic", fmt::format("{:.3f}", worst_arithmetic));
  EXPECT_GT(worst_mass, 0.05);  // two-sided: radii that nothing approaches say nothing
  EXPECT_GT(worst_error, 0.05);
  EXPECT_GT(worst_selection, 0.05);
}

TEST(PathJudgement, MeasuresThePathsOwnArithmetic) {
  // the third part of the telescope, ||o_S - õ||, whatever its size
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const ProblemShape shape = random_shape(seed, 40, 30);
    const RandomRow row = random_row(shape);
    PathRow answer = answer_over(row.wide, row.kept, row.reachable);
    Random random(seed);
    const double size = random.one_of<double>({0, 1e-15, 1e-9, 1e-3, 1, 1e6});
    for (double& x : answer.o) x += size * random.normal();
    const JudgedRow judged(row.problem, 0, 0, answer, {.has_pool = row.has_pool});
    const Wide exact = wide_distance(row.wide.output(row.kept), widen(answer.o));
    ASSERT_NEAR(judged->arithmetic_error, to_double(exact), judged->arithmetic_radius + 1e-14 * to_double(exact))
        << shape.describe();
    const Wide whole = wide_distance(row.wide.o(), widen(answer.o));
    const double radii = judged->output_error_pool.radius + judged->output_error_selection.radius +
                         judged->arithmetic_radius + 1e-14 * to_double(whole);
    ASSERT_TRUE(whole <= Wide(judged->output_error_pool.value) + Wide(judged->output_error_selection.value) +
                             Wide(judged->arithmetic_error) + Wide(radii))
        << shape.describe();
  }
}

TEST(PathJudgement, ResolvesErrorsFarBelowTheOutput) {
  // value 1 kept, value 3 omitted with weight 1e-20 or 1e-200: error = delta * 2
  for (const double mass : {1e-3, 1e-16, 1e-20, 1e-100, 1e-200}) {
    const AttentionProblem problem = problem_of_scores({0, std::log(mass)}, {{1}, {3}}).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const JudgedRow judged(problem, 0, 0, answer_over(wide, {0}, {}));
    EXPECT_LE(relative_error(judged->delta, wide.mass({1})), 2e-13);
    EXPECT_LE(relative_error(judged->output_error.value, Wide(2 * wide.mass({1}))), 2e-13);
    EXPECT_NEAR(judged->delta / (mass / (1 + mass)), 1, 2e-13);
    EXPECT_LT(judged->output_error.radius, 1e-12 * judged->output_error.value);
  }
}

TEST(PathJudgement, KeepingEverythingLosesExactlyNothing) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 20);
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const JudgedRow judged(problem, 0, 0, answer_over(wide, wide.all(), wide.all()), {.has_pool = seed % 2 == 0});
    EXPECT_EQ(judged->delta, 0) << shape.describe();
    for (const MeasuredError& error :
         {judged->output_error, judged->output_error_pool, judged->output_error_selection}) {
      EXPECT_EQ(error.value, 0) << shape.describe();
      EXPECT_EQ(error.radius, 0) << shape.describe();
    }
    EXPECT_EQ(judged->delta_upper(), 0) << shape.describe();
  }
}

TEST(PathJudgement, KeepingNothingWithoutSinkOmitsEverything) {
  const AttentionProblem problem = problem_of_scores({0, std::log(3)}, {{4}, {8}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {}, {}));
  EXPECT_EQ(judged->delta, 1);
  EXPECT_NEAR(judged->output_error.value, 7, 1e-14);  // ||o - 0||
  EXPECT_EQ(judged->arithmetic_error, 0);
  EXPECT_TRUE(judged->path_attended_what_it_says());
}

TEST(PathJudgement, KeepingOnlyTheSinkLeavesItsMass) {
  RawProblem raw = problem_of_scores({0, std::log(3)}, {{4}, {8}});
  raw.sink_logit = {std::log(4)};
  const AttentionProblem problem = raw.build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {}, {}));
  EXPECT_NEAR(judged->delta, 0.5, 1e-16);
  EXPECT_NEAR(judged->output_error.value, 3.5, 1e-14);
}

TEST(PathJudgement, CatchesAPathThatScalesItsOutput) {
  Index rows = 0;
  for (const ProblemShape& shape : stage_shapes()) {
    if (shape.n < 8 || shape.data == Data::tied) continue;  // their outputs can be 0
    const AttentionProblem problem = random_problem(shape).build();
    const Parameters path = path_of({{"select.by", text("main")}, {"select.k", count(5)}});
    const PathRun run = run_path(problem, path);
    for (Index query = 0; query < shape.s_q; ++query)
      for (Index head = 0; head < shape.h_q; ++head) {
        PathRow answer = run.rows[query][head];
        EXPECT_TRUE(JudgedRow(problem, head, query, answer)->path_attended_what_it_says());
        if (answer.kept.empty()) continue;
        for (double& x : answer.o) x *= 1 + 1e-6;
        EXPECT_FALSE(JudgedRow(problem, head, query, answer)->path_attended_what_it_says()) << shape.describe();
        ++rows;
      }
  }
  EXPECT_GT(rows, 30);
}

TEST(PathJudgement, CatchesAPathThatDropsADeclaredKey) {
  Index rows = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ProblemShape shape{.n = 40, .d_qk = 8, .d_v = 6, .sink = seed % 2 == 0, .seed = seed};
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    Random random(seed);
    const KeySet kept = random_subset(random, wide.all(), 0.4);
    if (kept.size() < 2) continue;
    KeySet attended = kept;
    attended.erase(attended.begin() + random.integer(0, static_cast<Index>(kept.size()) - 1));
    PathRow answer = answer_over(wide, kept, {});
    answer.o = to_double(wide.output(attended));
    EXPECT_FALSE(JudgedRow(problem, 0, 0, answer)->path_attended_what_it_says()) << shape.describe();
    answer.o.front() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(JudgedRow(problem, 0, 0, answer)->path_attended_what_it_says()) << "NaN must not pass";
    ++rows;
  }
  EXPECT_GT(rows, 150);
}

TEST(PathJudgement, BelievesEveryHonestPathWithRoom) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    ProblemShape shape = random_shape(seed, 60, 70);
    shape.h_q = 2;
    const AttentionProblem problem = random_problem(shape).build();
    const Parameters path =
        path_of({{"select.by", text(seed % 2 == 0 ? "random" : "main")}, {"select.k", count(1 + seed % 17)}});
    const PathRun run = run_path(problem, path, {.seed = seed});
    for (Index head = 0; head < 2; ++head) {
      const JudgedRow judged(problem, head, 0, run.rows[0][head]);
      EXPECT_TRUE(judged->path_attended_what_it_says()) << shape.describe();
      if (judged->arithmetic_radius > 0) worst = std::max(worst, judged->arithmetic_error / judged->arithmetic_radius);
    }
  }
  RecordProperty("worst_arithmetic_error_over_radius", fmt::format("{:.4f}", worst));
  EXPECT_GT(worst, 0.001) << "the radius is so wide that it would believe anything";
}

TEST(PathJudgementBounds, WhatTheRulerCannotWeighIsCertifiedByNothing) {
  // scores of 1e12 are rounded by 1e-4: weights are known to no three digits, so every radius and bound is infinite
  int unweighed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomRow row =
        random_row({.n = 20, .d_qk = 8, .d_v = 5, .sink = seed % 2 == 0, .score_spread = 1e13, .seed = seed});
    const JudgedRow judged(row.problem, 0, 0, answer_over(row.wide, row.kept, row.reachable),
                           {.has_pool = row.has_pool});
    if (judged->is_weighed()) continue;
    ++unweighed;
    EXPECT_EQ(judged->output_error.radius, std::numeric_limits<double>::infinity());
    for (const BoundKind* kind : bounds_of({})) {
      EXPECT_EQ(evaluate(*kind, *judged), std::numeric_limits<double>::infinity()) << kind->name;
      EXPECT_FALSE(violates(*judged, evaluate(*kind, *judged))) << kind->name;
    }
    EXPECT_TRUE(judged->path_attended_what_it_says());
  }
  EXPECT_GT(unweighed, 150);
}

}  // namespace
}  // namespace lacuna
