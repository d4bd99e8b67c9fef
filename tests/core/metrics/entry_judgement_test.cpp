// What the harness says of paths whose softmax runs over entries.
#include "core/metrics/entry_judgement.hpp"

#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"
#include "support/region_paths.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// The last query of one head of a path, judged.
struct Judged {
  PathTraits traits;
  ExactRow exact;
  std::vector<RowIndex> order;
  PathRow answer;
  PathJudgement judgement;

  Judged(const AttentionProblem& problem, const Parameters& parameters, Index head = 0, double answer_off_by = 0)
      : traits(PathTraits::of(parameters)),
        exact(exact_of(problem, head, problem.s_q() - 1)),
        judgement(judge(problem, parameters, head, answer_off_by)) {}

 private:
  PathJudgement judge(const AttentionProblem& problem, const Parameters& parameters, Index head, double off_by) {
    RunOptions options;
    Path path(parameters, context_of(problem, options));
    const Index query = problem.s_q() - 1;
    QueryView view(problem, kernels::plain_backend(), query);
    path.append(problem, 0, view.visible());
    answer = path.answer(view, nullptr)[static_cast<std::size_t>(head)];
    for (double& x : answer.o) x += off_by;
    return judge_entries(problem, traits, exact, order, answer, path.regions(head), head, query);
  }
};

ProblemShape shape_of(std::uint64_t seed) {
  ProblemShape shape = random_shape(seed, 60, 6);
  shape.n += 8;
  return shape;
}

TEST(EntryJudgement, OfExactRowsIsNoErrorAtAll) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ProblemShape shape = shape_of(seed);
    const AttentionProblem problem = random_problem(shape).build();
    const Judged judged(problem, region_path({{}, {.from = 3}, {.from = 7}}));
    EXPECT_LE(judged.judgement.output_error.value, judged.judgement.output_error.radius) << shape.describe();
    EXPECT_TRUE(judged.judgement.path_attended_what_it_says()) << shape.describe();
  }
}

TEST(EntryJudgement, OfAScaleOfZeroWeighsEntriesByTheirCountsAlone) {
  for (const bool count_weight : {true, false}) {
    RawProblem raw = random_problem({.n = 12, .d_qk = 4, .d_v = 3, .seed = 5});
    raw.sm_scale = 0;
    Parameters path = region_path({{}, {.from = 4, .compress = 4}});
    path.set("region_count_weight", count_weight);
    const Judged judged(raw.build(), path);
    EXPECT_TRUE(std::isfinite(judged.judgement.output_error.radius));
    EXPECT_TRUE(judged.judgement.path_attended_what_it_says());
    // every key weighs 1/12, in a group or not: means of means
    const double error = judged.judgement.output_error.value;
    EXPECT_EQ(error <= 1e-14, count_weight) << error;
  }
}

/// Rows repeat in runs of m; the problem and the same with every run once.
RawProblem repeated_rows(ProblemShape shape, Index m) {
  shape.n = (shape.n + m - 1) / m * m;
  RawProblem raw = random_problem(shape);
  for (Index j = 0; j < raw.n; ++j)
    for (Index c = 0; c < raw.d_qk; ++c) raw.key(0, j, c) = raw.key(0, j / m * m, c);
  for (Index j = 0; j < raw.n && !raw.v.empty(); ++j)
    for (Index c = 0; c < raw.d_v; ++c) raw.value(0, j, c) = raw.value(0, j / m * m, c);
  return raw;
}

TEST(EntryJudgement, OfEqualRowsInAGroupIsNoErrorWhenEachCounts) {
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ProblemShape shape = shape_of(seed);
    for (const Index m : {2, 4, 8}) {  // the mean of m equal numbers is that number
      const AttentionProblem problem = repeated_rows(shape, m).build();
      const std::vector<Region> regions = {{}, {.from = 2 * m, .compress = m}};
      const Judged counted(problem, region_path(regions));
      EXPECT_LE(counted.judgement.output_error.value, counted.judgement.output_error.radius) << shape.describe();
      EXPECT_TRUE(counted.judgement.path_attended_what_it_says()) << shape.describe();
      const Judged as_one(problem, region_path(regions, false));
      differ += as_one.judgement.output_error.value > as_one.judgement.output_error.radius ? 1 : 0;
      EXPECT_TRUE(as_one.judgement.path_attended_what_it_says()) << shape.describe();
    }
  }
  EXPECT_GT(differ, 500) << "without the count the newest rows weigh more than they should";
}

TEST(EntryJudgement, ErrorIsTheDistanceOfTheOutputsInWideArithmetic) {
  // output over the entries from wide arithmetic: a cache in which every row is replaced by its entry
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ProblemShape shape = shape_of(seed);
    shape.is_double = true;
    shape.shared_kv = false;
    const RawProblem raw = random_problem(shape);
    const std::vector<Region> regions = {{}, {.from = 3, .compress = 4}};
    RawProblem replaced = raw;
    const Index end = (raw.n - 3) / 4 * 4;
    for (Index g = 0; g < end; g += 4) {
      for (Index c = 0; c < raw.d_qk; ++c) {
        double sum = 0;
        for (Index j = g; j < g + 4; ++j) sum += raw.k[static_cast<std::size_t>(j * raw.d_qk + c)];
        for (Index j = g; j < g + 4; ++j) replaced.key(0, j, c) = sum / 4;
      }
      for (Index c = 0; c < raw.d_v; ++c) {
        double sum = 0;
        for (Index j = g; j < g + 4; ++j) sum += raw.v[static_cast<std::size_t>(j * raw.d_v + c)];
        for (Index j = g; j < g + 4; ++j) replaced.value(0, j, c) = sum / 4;
      }
    }
    const AttentionProblem problem = raw.build();
    const AttentionProblem over_entries = replaced.build();
    const Judged judged(problem, region_path(regions));
    const double expected = to_double(wide_distance(wide_row(problem, 0, 0).o(), wide_row(over_entries, 0, 0).o()));
    const MeasuredError& error = judged.judgement.output_error;
    EXPECT_LE(std::abs(error.value - expected), error.radius) << shape.describe();
  }
}

TEST(EntryJudgement, FailsAnAnswerThatIsNotTheSoftmaxOverItsEntries) {
  const AttentionProblem problem = random_problem({.n = 30}).build();
  const Parameters path = region_path({{}, {.from = 3, .compress = 4, .store = "bf16"}});
  EXPECT_TRUE(Judged(problem, path).judgement.path_attended_what_it_says());
  EXPECT_FALSE(Judged(problem, path, 0, 1e-9).judgement.path_attended_what_it_says());
}

TEST(EntryJudgement, OfAHeadLeftExactIsNoError) {
  const AttentionProblem problem = random_problem({.h_q = 2, .h_kv = 1, .n = 30}).build();
  Parameters path = region_path({{}, {.from = 3, .compress = 4}});
  path.set("heads", std::vector<std::int64_t>{0});
  const Judged exact(problem, path, 1);
  EXPECT_EQ(exact.judgement.output_error.value, 0);
  EXPECT_TRUE(exact.judgement.path_attended_what_it_says());
  EXPECT_FALSE(Judged(problem, path, 1, 1e-9).judgement.path_attended_what_it_says());
  EXPECT_GT(Judged(problem, path, 0).judgement.output_error.value, 1e-3);
}

TEST(EntryJudgement, LeavesOnlyWhatIsDefinedWithoutKeys) {
  const PathTraits traits = PathTraits::of(region_path({{}, {.from = 3, .compress = 4}}));
  std::vector<std::string> names;
  for (const PathMetricKind* kind : metrics_of(traits)) names.push_back(kind->name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"bytes_read_main", "bytes_stored", "bytes_stored_per_key", "error_radius",
                                             "keys_attended", "keys_scored", "output_error", "output_error_relative"}));
  EXPECT_TRUE(bounds_of(traits).empty());
  EXPECT_FALSE(bounds_of(PathTraits::of(path_of({}))).empty());
}

}  // namespace
}  // namespace lacuna
