// The ruler against 113-bit arithmetic: its error is within its radius, and the radius is not absurdly wide.
#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// Worst ratios of errors to their radii.
struct Worst {
  double output = 0;
  double weight = 0;  // of e_j to rho_j
  double score = 0;   // of log-sum-exp, in units of rho_max
};

void compare(const AttentionProblem& problem, const std::string& name, Worst& worst) {
  const ExactRow row = exact_of(problem, 0, 0);
  const WideRow wide = wide_row(problem, 0, 0);
  ASSERT_EQ(row.visible, wide.visible()) << name;

  const WideVector o = wide.o();
  const Wide error = wide_distance(widen(row.o), o);
  ASSERT_TRUE(error <= Wide(row.error_radius)) << name << " error " << error << " radius " << row.error_radius;
  if (row.error_radius > 0) worst.output = std::max(worst.output, to_double(Wide(error / Wide(row.error_radius))));

  for (Index j = 0; j < row.visible; ++j) {
    if (row.e[j] < 1e-300) continue;  // weights that underflow have the last term of the radius
    const double off = relative_error(row.e[j], exp(Wide(wide.s[j] - Wide(row.m))));
    ASSERT_LE(off, row.rho[j]) << name << " key " << j;
    worst.weight = std::max(worst.weight, off / row.rho[j]);
  }

  const double log_sum_exp_error = std::abs(to_double(Wide(Wide(row.log_sum_exp) - wide.log_sum_exp())));
  const double log_sum_exp_radius = row.rho_max + 4 * kUnitRoundoff * (1 + std::abs(row.log_sum_exp) + std::abs(row.m));
  ASSERT_LE(log_sum_exp_error, log_sum_exp_radius) << name;
  worst.score = std::max(worst.score, log_sum_exp_error / log_sum_exp_radius);

  // what bounds are made of
  Wide largest = 0;
  Wide variance = wide.sink_e / wide.z * wide_norm(o) * wide_norm(o);
  for (Index j = 0; j < row.visible; ++j) {
    largest = std::max(largest, wide_norm(wide.v[j]));
    const Wide from_output = wide_distance(wide.v[j], o);
    variance += wide.p(j) * from_output * from_output;
  }
  ASSERT_LE(relative_error(row.value_norm_max, largest), 1e-14) << name;
  const double v = to_double(largest);
  ASSERT_NEAR(row.variance, to_double(variance), 1e-12 * to_double(variance) + 4 * v * row.error_radius) << name;
}

TEST(ExactRowRadius, CoversTheErrorOnThousandsOfRows) {
  Worst worst;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 70);
    compare(random_problem(shape).build(), shape.describe(), worst);
    if (HasFatalFailure()) return;
  }
  RecordProperty("worst_output", std::to_string(worst.output));
  RecordProperty("worst_weight", std::to_string(worst.weight));
  RecordProperty("worst_log_sum_exp", std::to_string(worst.score));
  // two-sided: a radius that no row approaches says nothing
  EXPECT_GT(worst.output, 0.05);
  EXPECT_GT(worst.weight, 0.1);
}

TEST(ExactRowRadius, CoversTheErrorAtPrimesAndAroundPowersOfTwo) {
  Worst worst;
  for (const Index n : {1, 2, 3, 5, 7, 31, 61, 64, 113, 127, 128, 129, 211, 293, 300})
    for (const Index d : {1, 2, 7, 8, 9, 61, 70}) {
      const std::uint64_t seed = static_cast<std::uint64_t>(n + d);
      const ProblemShape shape{
          .n = n, .d_qk = d, .d_v = 71 - d, .sink = seed % 2 == 0, .score_spread = 5, .seed = seed};
      compare(random_problem(shape).build(), shape.describe(), worst);
      if (HasFatalFailure()) return;
    }
}

TEST(ExactRowRadius, CoversTheErrorAtHugeScoreSpread) {
  Worst worst;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    for (const double spread : {300.0, 1e4, 1e7}) {
      ProblemShape shape{.n = 23, .d_qk = 5, .d_v = 4, .sink = seed % 2 == 0, .score_spread = spread, .seed = seed};
      shape.data = seed % 3 == 0 ? Data::tied : Data::gaussian;
      compare(random_problem(shape).build(), shape.describe(), worst);
      if (HasFatalFailure()) return;
    }
}

TEST(ExactRowRadius, SaysInfiniteWhenScoresAreNoLongerResolved) {
  // scores of 1e13 and more: their rounding alone moves a weight by more than 1e-3
  RawProblem raw = problem_of_scores({1e13, 1e13 + 1, -1e13}, {{1}, {2}, {3}});
  raw.q = {1 + 0x1p-20};
  EXPECT_EQ(exact_of(raw.build(), 0, 0).error_radius, std::numeric_limits<double>::infinity());
}

TEST(ExactRowRadius, IsFarBelowTheOutputOnBenignRows) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const ProblemShape shape{.n = 100, .d_qk = 64, .d_v = 64, .value_shift = 1, .seed = seed};
    const ExactRow row = exact_of(random_problem(shape).build(), 0, 0);
    largest = std::max(largest, row.error_radius / row.o_norm);
  }
  EXPECT_LT(largest, 1e-13);
  EXPECT_GT(largest, 1e-17);
  RecordProperty("largest_radius_over_output", fmt::format("{:.3g}", largest));
}

}  // namespace
}  // namespace lacuna
