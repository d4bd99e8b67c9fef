// Plain dense attention: by hand, row by row, and against 113 bits and the ruler within its own error radius.
#include "core/model/dense_attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> row_of(const AttentionProblem& problem, const std::vector<double>& o, Index query, Index head) {
  const auto begin = o.begin() + (query * problem.h_q() + head) * problem.d_v();
  return {begin, begin + problem.d_v()};
}

/// Several heads and queries, keys behind some of them, and local rows of the last few tokens where `window` > 0.
AttentionProblem many_queries(std::uint64_t seed, bool is_shared, Index window) {
  Random random(seed);
  ProblemShape shape{.h_q = 6, .h_kv = 2, .s_q = 70, .n = 301, .d_qk = 13, .d_v = 37, .shared_kv = is_shared};
  shape.sink = seed % 2 == 0;
  shape.score_spread = 3;
  shape.seed = seed;
  RawProblem raw = random_problem(shape);
  for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = i < 40 ? i : 10 + 3 * i;
  AttentionProblem problem = raw.build();
  if (window == 0) return problem;
  const auto tensor = [&](Index width) {
    std::vector<double> data(raw.h_kv * raw.n * width);
    for (double& x : data) x = random.normal();
    return Tensor(raw.h_kv, raw.n, width, data);
  };
  problem.local = {.k = tensor(raw.d_qk), .v = is_shared ? Tensor() : tensor(raw.d_v), .window = window};
  return problem;
}

TEST(DenseAttention, WeighsByHand) {
  // weights 1/4, 1/4, 1/2 and, with a sink of the largest score, 1/6, 1/6, 1/3
  RawProblem raw = problem_of_scores({0, 0, std::log(2.0)}, {{4, 1}, {8, 1}, {2, -1}});
  const std::vector<double> o = dense_attention(raw.build());
  EXPECT_NEAR(o[0], 4, 1e-15);
  EXPECT_NEAR(o[1], 0, 1e-15);
  raw.sink_logit = {std::log(2.0)};
  const std::vector<double> with_sink = dense_attention(raw.build());
  EXPECT_NEAR(with_sink[0], 8.0 / 3, 1e-15);
  EXPECT_NEAR(with_sink[1], 0, 1e-15);
}

TEST(DenseAttention, OfAQueryThatSeesNothingIsZero) {
  for (const bool has_sink : {false, true}) {
    RawProblem raw = problem_of_scores({1, 2}, {{kNan}, {kNan}});
    raw.query_position = {-1};
    if (has_sink) raw.sink_logit = {3};
    const AttentionProblem problem = raw.build();
    const std::vector<double> o = dense_attention(problem);
    EXPECT_EQ(o, std::vector<double>{0});
    EXPECT_EQ(dense_attention_radius(problem, 0, 0, o), 0);
  }
}

TEST(DenseAttention, GivesEveryQueryTheBitsItHasAlone) {
  const EachIndex backwards = [](Index count, const std::function<void(Index)>& work) {
    for (Index i = count; i-- > 0;) work(i);
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const Index window : {0, 1, 9, 150}) {
      const AttentionProblem problem = many_queries(seed, seed > 2, window);
      const std::vector<double> o = dense_attention(problem);
      EXPECT_EQ(dense_attention(problem, backwards), o);
      for (Index query = 0; query < problem.s_q(); ++query) {
        const std::vector<double> alone = dense_attention(problem, query);
        ASSERT_TRUE(std::equal(alone.begin(), alone.end(), o.begin() + query * problem.h_q() * problem.d_v())) << query;
      }
    }
}

TEST(DenseAttention, ReadsNoRowBehindItsQueries) {
  ProblemShape shape{.h_q = 4, .h_kv = 2, .s_q = 1, .n = 150, .d_qk = 9, .d_v = 17, .sink = true};
  for (const Index position : {0, 7, 130, 148}) {
    RawProblem raw = random_problem(shape);
    raw.query_position = {position};
    const std::vector<double> o = dense_attention(raw.build());
    for (Index h = 0; h < raw.h_kv; ++h)
      for (Index j = position + 1; j < raw.n; ++j) raw.poison(h, j);
    EXPECT_EQ(dense_attention(raw.build()), o);
  }
}

/// Largest ratio of an error to its radius.
void compare(const AttentionProblem& problem, const std::string& name, double& worst) {
  const std::vector<double> o = dense_attention(problem, 0);
  const double radius = dense_attention_radius(problem, 0, 0, row_of(problem, o, 0, 0));
  const Wide error = wide_distance(widen(row_of(problem, o, 0, 0)), wide_row(problem, 0, 0).o());
  ASSERT_TRUE(error <= Wide(radius)) << name << " error " << error << " radius " << radius;
  if (radius > 0) worst = std::max(worst, to_double(Wide(error / Wide(radius))));
}

TEST(DenseAttentionBounds, RadiusCoversTheErrorOnThousandsOfRows) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    ProblemShape shape = random_shape(seed, 60, 70);
    shape.is_double = true;
    compare(random_problem(shape).build(), shape.describe(), worst);
    if (HasFatalFailure()) return;
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_GT(worst, 0.02);  // two-sided: a radius that no row approaches says nothing
}

TEST(DenseAttentionBounds, RadiusCoversTheErrorAroundPiecesAndLanes) {
  double worst = 0;
  for (const Index n : {1, 2, 3, 5, 7, 127, 128, 129, 255, 256, 257, 611})
    for (const Index d : {1, 2, 7, 8, 9, 61, 70}) {
      const auto seed = static_cast<std::uint64_t>(n + d);
      const ProblemShape shape{
          .n = n, .d_qk = d, .d_v = 71 - d, .sink = seed % 2 == 0, .score_spread = 2, .value_shift = 1, .seed = seed};
      compare(random_problem(shape).build(), shape.describe(), worst);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(worst, 0.001);
}

TEST(DenseAttentionBounds, RadiusCoversTheErrorAtHugeAndTinyScores) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    for (const double spread : {1e-300, 1e-9, 300.0, 1e4, 1e7}) {
      ProblemShape shape{.n = 23, .d_qk = 5, .d_v = 4, .sink = seed % 2 == 0, .score_spread = spread, .seed = seed};
      shape.data = seed % 3 == 0 ? Data::tied : Data::gaussian;
      compare(random_problem(shape).build(), shape.describe(), worst);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(worst, 0.01);
}

TEST(DenseAttentionBounds, RadiusIsInfiniteWhenScoresAreNoLongerResolved) {
  RawProblem raw = problem_of_scores({1e13, 1e13 + 1, -1e13}, {{1}, {2}, {3}});
  raw.q = {1 + 0x1p-20};
  const AttentionProblem problem = raw.build();
  EXPECT_EQ(dense_attention_radius(problem, 0, 0, dense_attention(problem)), kInfinity);
}

TEST(DenseAttentionBounds, RadiusOfANumberThatIsNoneIsInfinite) {
  RawProblem raw = problem_of_scores({1, 2}, {{1}, {kNan}});
  const AttentionProblem problem = raw.build();
  EXPECT_EQ(dense_attention_radius(problem, 0, 0, dense_attention(problem)), kInfinity);
}

TEST(DenseAttentionTwin, AgreesWithTheRulerWithinBothRadii) {
  double closest = kInfinity, worst = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const Index window : {0, 9, 150}) {
      const AttentionProblem problem = many_queries(seed, seed > 2, window);
      const std::vector<double> o = dense_attention(problem);
      for (Index query = 0; query < problem.s_q(); ++query)
        for (Index head = 0; head < problem.h_q(); ++head) {
          const SeenRows seen = problem.seen(problem.query_position[query]);
          const Index kv_head = problem.kv_head_of(head);
          const ExactRow ruler = exact_row(problem.queries(head), query, problem.seen_keys(kv_head, seen),
                                           problem.seen_values(kv_head, seen), seen.count(), problem.sm_scale,
                                           problem.sink(head), seen.local);
          const std::vector<double> row = row_of(problem, o, query, head);
          const double radius = dense_attention_radius(problem, head, query, row);
          ASSERT_TRUE(distance(row, ruler.o) <= radius + ruler.error_radius) << seed << ' ' << query << ' ' << head;
          worst = std::max(worst, distance(row, ruler.o) / radius);
          closest = std::min(closest, radius / ruler.o_norm);
        }
    }
  EXPECT_GT(worst, 0.005);
  EXPECT_GT(closest, 1e-16);  // plain arithmetic cannot promise more
}

TEST(DenseAttentionTwin, ARowThatIsOffByMoreThanRoundingIsFound) {
  const AttentionProblem problem = many_queries(1, false, 0);
  std::vector<double> row = row_of(problem, dense_attention(problem), 60, 3);
  const double radius = dense_attention_radius(problem, 3, 60, row);
  EXPECT_LT(radius, 1e-12 * norm(row));  // an error of 1e-12 of the output is no rounding
}

}  // namespace
}  // namespace lacuna
