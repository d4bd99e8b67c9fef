#include <gtest/gtest.h>

#include "support/exact_metrics.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(RowFacts, AreThoseOfTheRuler) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    for (Index query = 0; query < shape.s_q; ++query)
      for (Index head = 0; head < shape.h_q; ++head) {
        const WideRow wide = wide_row(problem, head, query);
        if (wide.visible() == 0) continue;
        EXPECT_NEAR(exact_metric("log_sum_exp", problem, head, query)[0], to_double(wide.log_sum_exp()), 1e-13);
        EXPECT_NEAR(exact_metric("output_norm", problem, head, query)[0], to_double(wide_norm(wide.o())), 1e-13);
        EXPECT_EQ(exact_metric("visible_keys", problem, head, query)[0], static_cast<double>(wide.visible()));
        Wide largest = 0;
        for (const WideVector& v : wide.v) largest = std::max(largest, wide_norm(v));
        EXPECT_LE(relative_error(exact_metric("value_norm_max", problem, head, query)[0], largest), 1e-14);
        EXPECT_GT(exact_metric("error_radius", problem, head, query)[0], 0);
        EXPECT_LT(exact_metric("error_radius", problem, head, query)[0], 1e-13);
      }
  }
}

TEST(RowFacts, ProfileOrdersByScoreThenIndex) {
  const AttentionProblem problem = problem_of_scores({1, 3, 3, 0, 3, 1}, {{1}, {1}, {1}, {1}, {1}, {1}}).build();
  const ExactRow exact = exact_of(problem, 0, 0);
  EXPECT_EQ(ExactProfile(problem, 0, 0, exact).order, (std::vector<RowIndex>{1, 2, 4, 0, 5, 3}));
}

TEST(RowFacts, EveryKindOfEveryRegistryHasItsWords) {
  for (const ExactMetricKind& kind : ExactMetricRegistry::instance().kinds()) {
    EXPECT_FALSE(kind.units.empty()) << kind.name;
    EXPECT_FALSE(kind.long_name.empty()) << kind.name;
    EXPECT_NE(kind.evaluate, nullptr) << kind.name;
  }
  for (const PathMetricKind& kind : PathMetricRegistry::instance().kinds()) {
    EXPECT_FALSE(kind.units.empty()) << kind.name;
    EXPECT_FALSE(kind.long_name.empty()) << kind.name;
    EXPECT_NE(kind.evaluate, nullptr) << kind.name;
  }
  for (const BoundKind& kind : BoundRegistry::instance().kinds()) {
    EXPECT_TRUE(kind.name.starts_with("bound_")) << kind.name;
    EXPECT_FALSE(kind.long_name.empty()) << kind.name;
  }
}

}  // namespace
}  // namespace lacuna
