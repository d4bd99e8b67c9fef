// Total variation and both Kullback-Leibler divergences of the attention weights.
#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Sums over keys and sink of f(p, q), q the softmax over the kept keys and the sink.
template <class F>
Wide wide_sum(const RandomRow& row, F&& f) {
  const WideRow& wide = row.wide;
  const Wide z_kept = wide.weight(row.kept) + wide.sink_e;
  Wide sum = 0;
  for (Index j = 0; j < wide.visible(); ++j) {
    const bool kept = std::binary_search(row.kept.begin(), row.kept.end(), static_cast<RowIndex>(j));
    sum += f(wide.p(j), kept ? Wide(wide.e[j] / z_kept) : Wide(0));
  }
  if (wide.has_sink) sum += f(Wide(wide.sink_e / wide.z), Wide(wide.sink_e / z_kept));
  return sum;
}

TEST(Divergence, AgreesWithHandNumbers) {
  // p = (1, 1, 2) / 4, kept the last two: q = (0, 1, 2) / 3
  const AttentionProblem problem = problem_of_scores({0, 0, std::log(2)}, {{1}, {2}, {3}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {1, 2}, {}));
  EXPECT_NEAR(judged.metric("total_variation"), 0.25, 1e-16);
  EXPECT_NEAR(judged.metric("kl_approx_exact"), std::log(4.0 / 3), 1e-15);
  EXPECT_EQ(judged.metric("kl_exact_approx"), kInfinity);
}

TEST(Divergence, OfNothingAttendedIsOneAndInfinite) {
  const AttentionProblem problem = problem_of_scores({0, 1}, {{1}, {2}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {}, {}));
  EXPECT_EQ(judged.metric("total_variation"), 1);
  EXPECT_EQ(judged.metric("kl_approx_exact"), kInfinity);
  EXPECT_EQ(judged.metric("kl_exact_approx"), kInfinity);
}

TEST(Divergence, OfTheSinkAloneIsFiniteOneWay) {
  // sink 1, keys 1 + 2: q = (sink 1), p(sink) = 1/4: KL(q || p) = log 4
  RawProblem raw = problem_of_scores({0, std::log(2)}, {{1}, {2}});
  raw.sink_logit = {0};
  const AttentionProblem problem = raw.build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {}, {}));
  EXPECT_NEAR(judged.metric("total_variation"), 0.75, 1e-15);
  EXPECT_NEAR(judged.metric("kl_approx_exact"), std::log(4), 1e-15);
  EXPECT_EQ(judged.metric("kl_exact_approx"), kInfinity);
}

TEST(Divergence, KeyWithoutWeightMayBeLostForNothing) {
  // the omitted key has weight e^-2000 = 0 in p as in q: finite, by the rule 0 log 0 = 0
  const AttentionProblem problem = problem_of_scores({0, 1, -2000}, {{1}, {2}, {3}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {0, 1}, {}));
  EXPECT_EQ(judged.metric("kl_exact_approx"), 0);
  EXPECT_EQ(judged.metric("kl_approx_exact"), 0);
}

TEST(Divergence, AgreesWithWideSumsOnThousandsOfRows) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    const ProblemShape shape = random_shape(seed, 40, 6);
    const RandomRow row = random_row(shape);
    if (row.kept.empty() && !row.wide.has_sink) continue;
    const JudgedRow judged(row.problem, 0, 0, answer_over(row.wide, row.kept, row.reachable),
                           {.has_pool = row.has_pool});
    const double delta = judged->delta;
    const double relative = 1e-13 + 8 * judged.exact().rho_max;  // of the weights themselves

    const Wide variation = wide_sum(row, [](const Wide& p, const Wide& q) { return Wide(abs(Wide(p - q)) / 2); });
    EXPECT_NEAR(judged.metric("total_variation"), to_double(variation), relative * delta + 1e-15) << shape.describe();

    const Wide kl =
        wide_sum(row, [](const Wide& p, const Wide& q) { return q > 0 ? Wide(q * log(Wide(q / p))) : Wide(0); });
    const double kl_exact = to_double(kl);  // nearly cancels in 113 bits, too: absolute room of 1e-32
    EXPECT_NEAR(judged.metric("kl_approx_exact"), kl_exact, relative * (kl_exact + delta) + 1e-30) << shape.describe();

    // the closed forms of a pure truncation
    const Wide lost = row.wide.weight(set_difference(row.wide.all(), row.kept));
    const Wide z_kept = row.wide.weight(row.kept) + row.wide.sink_e;
    const double closed = to_double(Wide(log(Wide(1 + lost / z_kept))));
    EXPECT_NEAR(judged.metric("kl_approx_exact"), closed, relative * (closed + delta) + 1e-30) << shape.describe();
    EXPECT_EQ(judged.metric("kl_exact_approx"), delta > 0 ? kInfinity : 0) << shape.describe();
  }
}

TEST(Divergence, ResolvesDifferencesOfAnySize) {
  for (const double mass : {1e-3, 1e-9, 1e-12, 1e-16, 1e-20, 1e-100}) {
    const AttentionProblem problem = problem_of_scores({0, 0.5, std::log(mass)}, {{1}, {2}, {3}}).build();
    const WideRow wide = wide_row(problem, 0, 0);
    const JudgedRow judged(problem, 0, 0, answer_over(wide, {0, 1}, {}));
    const Wide delta = wide.mass({2});
    EXPECT_LE(relative_error(judged.metric("total_variation"), delta), 1e-9) << "TV = delta at mass " << mass;
    EXPECT_LE(relative_error(judged.metric("kl_approx_exact"), Wide(-log1p(Wide(-delta)))), 1e-9) << "mass " << mass;
  }
}

TEST(Divergence, IsFiniteOneWayWhereKeptWeightsUnderflow) {
  // all weight on the omitted key: Z_T / Z_S = e^2000 / 2, and KL(Q || P) = 2000 - log 2 to within e^-2000
  const AttentionProblem problem = problem_of_scores({0, -2000, -2000}, {{1}, {2}, {3}}).build();
  const JudgedRow judged(problem, 0, 0, answer_over(wide_row(problem, 0, 0), {1, 2}, {}));
  EXPECT_EQ(judged.metric("total_variation"), 1);
  EXPECT_NEAR(judged.metric("kl_approx_exact"), 2000 - std::log(2), 1e-9);
}

}  // namespace
}  // namespace lacuna
