// Local rows: a problem whose last rows are moved out of the cache into local rows must give the same answers and the
// same judgement as the plain problem whose path reads those rows as its window.
#include <gtest/gtest.h>

#include "support/local_rows.hpp"
#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(LocalRows, GiveTheExactRowOfTheSameRowsInOneCacheToTheBit) {
  for_each_pair(
      [](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split, Index local) {
        for (Index head = 0; head < plain.h_q(); ++head) {
          const ExactRow expected = exact_of(plain, head, 0);
          const ExactRow found = exact_with_local(split, head);
          ASSERT_EQ(found.visible, expected.visible) << shape.describe();
          EXPECT_EQ(found.local, local);
          EXPECT_EQ(found.s, expected.s) << shape.describe();
          EXPECT_EQ(found.o, expected.o) << shape.describe();
          EXPECT_EQ(found.error_radius, expected.error_radius) << shape.describe();
          EXPECT_EQ(found.variance, expected.variance) << shape.describe();
        }
      });
}

/// A path over the plain problem reads the rows that are local in the other one as its window.
Given as_window(Given given, Index local) {
  given["window"] = count(local);
  given["select.outside_window"] = true;
  return given;
}

TEST(LocalRows, AreAttendedByEveryPathAsAWindowWouldBe) {
  for_each_pair([](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split,
                   Index local) {
    for (const Index k : {1, 5}) {
      const Given given = {{"select.by", text("main")}, {"select.k", count(k)}, {"select.share", text("kv_group")}};
      const PathRun expected = run_path(plain, path_of(as_window(given, local)));
      const PathRun found = run_path(split, path_of(given));
      for (Index head = 0; head < plain.h_q(); ++head) {
        const PathRow& a = expected.rows[0][head];
        const PathRow& b = found.rows[0][head];
        EXPECT_EQ(b.kept, a.kept) << shape.describe();
        double largest = 1e-300;
        for (const double x : a.o) largest = std::max(largest, std::abs(x));
        for (std::size_t c = 0; c < a.o.size(); ++c)
          EXPECT_NEAR(b.o[c], a.o[c], 1e-9 * (largest + exact_of(plain, head, 0).value_norm_max)) << shape.describe();
        EXPECT_EQ(b.keys_scored, a.keys_scored) << shape.describe();
        EXPECT_EQ(b.bytes_read_main, a.bytes_read_main) << shape.describe();
      }
    }
  });
}

TEST(LocalRowsBounds, JudgeAsTheSameRowsInOneCache) {
  int judged = 0;
  for_each_pair([&](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split,
                    Index local) {
    const Given given = {{"select.by", text("random")}, {"select.k", 0.3}, {"select.trials", count(1)}};
    const PathRow answer = last_row(run_path(split, path_of(given)));
    const PathTraits traits;
    const JudgedRow expected(plain, 0, 0, answer, traits);

    const ExactRow exact = exact_with_local(split, 0);
    const std::vector<RowIndex> order = ExactProfile(split, 0, 0, exact).order;
    const SeenRows seen = split.seen(split.query_position[0]);
    const Rows values = split.seen_values(0, seen);
    const PathJudgement found = judge_path(split, traits, exact, order, answer, values, ValueBalls(split.values(0)));
    EXPECT_EQ(found.delta, expected->delta) << shape.describe();
    EXPECT_EQ(found.output_error.value, expected->output_error.value) << shape.describe();
    EXPECT_EQ(found.output_error.radius, expected->output_error.radius) << shape.describe();
    for (const BoundKind* kind : bounds_of(traits)) {
      const double bound = kind->evaluate(found);
      EXPECT_FALSE(violates(found, bound)) << kind->name << ' ' << shape.describe();
      if (kind->name == "bound_blockwise") continue;  // whose blocks end with the cache
      EXPECT_EQ(bound, expected.bound(kind->name)) << kind->name << ' ' << shape.describe();
    }
    EXPECT_TRUE(found.path_attended_what_it_says()) << shape.describe();
    EXPECT_LE(static_cast<Index>(answer.kept.size()), static_cast<Index>(exact.visible));
    judged += local < exact.visible ? 1 : 0;
  });
  EXPECT_GT(judged, 300);
}

TEST(LocalRows, TakeTheFormatOfTheCacheOrTheirOwn) {
  const RawProblem raw = random_problem({.h_q = 2, .n = 40, .d_qk = 32, .shared_kv = true, .sink = true, .seed = 4});
  const AttentionProblem plain = raw.build();
  const AttentionProblem split = with_local(raw, 9);
  const Given stored = {{"store", text("fp4_e4m3_16")}};
  const PathRow one_format = last_row(run_path(split, path_of(stored)));
  const PathRow in_one_cache = last_row(run_path(plain, path_of(stored)));
  for (std::size_t c = 0; c < one_format.o.size(); ++c) EXPECT_NEAR(one_format.o[c], in_one_cache.o[c], 1e-12);
  EXPECT_EQ(one_format.bytes_stored, in_one_cache.bytes_stored);

  const PathRow two_formats =
      last_row(run_path(split, path_of({{"store", text("fp4_e4m3_16")}, {"store_local", text("fp8_e4m3_ue8m0_32")}})));
  EXPECT_NE(two_formats.o, one_format.o);
  EXPECT_EQ(two_formats.bytes_stored, 31 * (16 + 2) + 9 * (32 + 1));
  const PathRow local_only = last_row(run_path(split, path_of({{"store_local", text("exact")}})));
  const PathRow exact = last_row(run_path(split, path_of({})));
  EXPECT_EQ(local_only.o, exact.o);
}

TEST(LocalRows, ThatAreOneRunOfTokensAreStoredOnceHoweverQueriesAdvance) {
  RawProblem raw = random_problem({.s_q = 6, .n = 4, .d_qk = 32, .shared_kv = true, .seed = 8});
  raw.query_position = {0, 1, 5, 40, 41, 79};
  raw.key_position = {19, 39, 59, 79};
  AttentionProblem problem = raw.build();
  Random random(3);
  std::vector<double> tokens(80 * 32);
  for (double& x : tokens) x = random.normal();
  problem.local = {Tensor(1, 80, 32, tokens), {}, 7};
  for (const char* format : {"q8_0", "int8_channel", "fp4_e4m3_16"}) {
    const Parameters path = path_of({{"store_local", text(format)}});
    const PathRun whole = run_path(problem, path);
    for (Index first = 0; first < 6; ++first) {
      const PathRun chunk = run_path(problem, path, {.first_query = first});
      EXPECT_TRUE(same_answers({whole.rows.begin() + first, whole.rows.end()}, chunk.rows)) << format << ' ' << first;
    }
  }
}

}  // namespace
}  // namespace lacuna
