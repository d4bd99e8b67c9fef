// entropy and effective_keys
#include <gtest/gtest.h>

#include "support/exact_metrics.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(SoftmaxShape, AgreesWithHandNumbers) {
  // p = 1/2, 1/4, 1/4: H = 3/2 log 2, sum p^2 = 3/8
  const AttentionProblem problem = problem_of_scores({std::log(2), 0, 0}, {{1}, {1}, {1}}).build();
  EXPECT_NEAR(exact_metric("entropy", problem)[0], 1.5 * std::log(2), 1e-15);
  EXPECT_NEAR(exact_metric("effective_keys", problem)[0], 8 / 3.0, 1e-15);
}

TEST(SoftmaxShape, CountsTheSinkAsAnOutcome) {
  // p = 1/4, 1/4, sink 1/2
  RawProblem raw = problem_of_scores({0, 0}, {{1}, {1}});
  raw.sink_logit = {std::log(2)};
  EXPECT_NEAR(exact_metric("entropy", raw.build())[0], 1.5 * std::log(2), 1e-15);
  EXPECT_NEAR(exact_metric("effective_keys", raw.build())[0], 8 / 3.0, 1e-15);
}

TEST(SoftmaxShape, OfUniformWeightsIsLogNAndN) {
  for (const Index n : {1, 2, 97}) {
    const AttentionProblem problem =
        problem_of_scores(std::vector<double>(n, 0.3), std::vector<std::vector<double>>(n, {1})).build();
    EXPECT_NEAR(exact_metric("entropy", problem)[0], std::log(static_cast<double>(n)), 1e-14);
    EXPECT_NEAR(exact_metric("effective_keys", problem)[0], static_cast<double>(n), 1e-11);
  }
}

TEST(SoftmaxShape, OfOneDominantKeyKeepsItsDigits) {
  // p = 1 - t, t with t = 1e-20: H = t - t log t to first order
  const double t = 1e-20;
  const AttentionProblem problem = problem_of_scores({0, std::log(t)}, {{1}, {1}}).build();
  EXPECT_NEAR(exact_metric("entropy", problem)[0] / (t - t * std::log(t)), 1, 0.03);  // 1 of 47 is -(1-t) log(1-t)
  EXPECT_EQ(exact_metric("effective_keys", problem)[0], 1);
}

TEST(SoftmaxShape, AgreesWithWideArithmetic) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const ProblemShape shape = random_shape(seed, 60, 4);
    const AttentionProblem problem = random_problem(shape).build();
    const WideRow wide = wide_row(problem, 0, 0);
    Wide entropy = 0;
    Wide squares = wide.sink_e / wide.z * (wide.sink_e / wide.z);
    for (Index j = 0; j < wide.visible(); ++j) {
      entropy -= wide.p(j) * log(wide.p(j));
      squares += wide.p(j) * wide.p(j);
    }
    if (wide.has_sink) entropy -= wide.sink_e / wide.z * log(Wide(wide.sink_e / wide.z));
    EXPECT_NEAR(exact_metric("entropy", problem)[0], to_double(entropy), 1e-11 * to_double(entropy) + 1e-15)
        << shape.describe();
    EXPECT_LE(relative_error(exact_metric("effective_keys", problem)[0], Wide(1 / squares)), 1e-11) << shape.describe();
  }
}

}  // namespace
}  // namespace lacuna
