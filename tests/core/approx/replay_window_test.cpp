// Absent local rows: what a path answers without them, and what the harness says of it.
#include "core/approx/replay_window.hpp"

#include <gtest/gtest.h>

#include "core/model/dense_attention.hpp"
#include "support/local_rows.hpp"
#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// A replay after which the first `absent` of the local rows of with_local() are lost.
Given with_replay(Given given, Index absent) {
  given["replay.prefix"] = count(kOlderTokens + absent + 1);
  given["replay.length"] = count(1);
  return given;
}

/// f(shape, plain, with local rows, local rows, absent ones) over random problems; the query's own row is there.
template <class F>
void for_each_replay(F&& f) {
  for_each_pair(
      [&](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split, Index local) {
        Random random(shape.seed + 17);
        f(shape, plain, split, local, random.integer(0, local - 1));
      });
}

/// The problem with NaN in the local rows of tokens before `start`.
AttentionProblem poisoned(AttentionProblem problem, Index start) {
  const auto poison = [&](const Tensor& rows) {
    std::vector<double> numbers;
    for (Index head = 0; head < rows.outer(); ++head)
      for (Index token = 0; token < rows.rows(); ++token)
        for (Index c = 0; c < rows.width(); ++c)
          numbers.push_back(token < start ? std::numeric_limits<double>::quiet_NaN() : rows[head].at(token, c));
    return Tensor(rows.outer(), rows.rows(), rows.width(), std::move(numbers));
  };
  problem.local.k = poison(problem.local.k);
  if (!problem.shared_kv()) problem.local.v = poison(problem.local.v);
  return problem;
}

TEST(ReplayWindow, CutsTheWindowsOfQueriesFromItsStartOn) {
  const Parameters path = path_of({{"replay.prefix", count(10)}, {"replay.length", count(4)}});  // s = 6
  const ReplayWindow replay(path, 0);
  EXPECT_EQ(replay.start(), 6);
  AttentionProblem problem;
  problem.local = {Tensor(1, 14, 1, std::vector<double>(14)), {}, 4};
  const auto absent = [&](Index position) { return replay.absent(problem.seen(position), position); };
  EXPECT_EQ(absent(5), 0);  // 2, 3, 4, 5: it ran before the loss
  EXPECT_EQ(absent(6), 3);  // 6 of 3, 4, 5, 6
  EXPECT_EQ(absent(7), 2);
  EXPECT_EQ(absent(9), 0);  // 6, 7, 8, 9
  EXPECT_EQ(absent(13), 0);
  const AttentionProblem cut = replay.cut(problem);
  for (const Index position : {0, 3, 5, 6, 7, 8, 9, 13}) {
    const SeenRows seen = problem.seen(position), left = cut.seen(position);
    EXPECT_EQ(left.local, seen.local - absent(position)) << position;
    EXPECT_EQ(left.local_begin + left.local, seen.local_begin + seen.local) << position;
  }
}

TEST(ReplayWindow, OfTheWholePrefixOrOfLaterLayersLosesNothing) {
  EXPECT_FALSE(ReplayWindow(path_of({{"replay.prefix", count(10)}, {"replay.length", count(10)}}), 0).loses_rows());
  const Parameters path =
      path_of({{"replay.prefix", count(10)}, {"replay.length", count(4)}, {"replay.from_layer", count(8)}});
  EXPECT_FALSE(ReplayWindow(path, 7).loses_rows());
  EXPECT_TRUE(ReplayWindow(path, 8).loses_rows());
  EXPECT_TRUE(ReplayWindow(path, 9).loses_rows());
  EXPECT_FALSE(ReplayWindow(path_of({}), 0).loses_rows());
}

TEST(ReplayWindowContract, ReadsNoAbsentRowAndAttendsTheOthers) {
  for_each_replay([](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split,
                     Index local, Index absent) {
    const Given given = with_replay({{"select.by", text("main")}, {"select.k", count(3)}}, absent);
    const PathRow whole = last_row(run_path(split, path_of(given)));
    const auto first_local = static_cast<RowIndex>(plain.s_kv() - local);
    for (RowIndex j = first_local; j < plain.s_kv(); ++j)
      EXPECT_EQ(std::ranges::binary_search(whole.kept, j), j >= first_local + absent) << shape.describe();
    if (!shape.is_double) return;
    const AttentionProblem poison = poisoned(split, kOlderTokens + absent);
    EXPECT_TRUE(same_row(last_row(run_path(poison, path_of(given))), whole)) << shape.describe();
    const Parameters every = path_of(with_replay({}, absent));
    const std::vector<double> dense = dense_attention(ReplayWindow(every, 0).cut(poison));
    const PathRow row = last_row(run_path(poison, every));
    for (std::size_t c = 0; c < row.o.size(); ++c)
      EXPECT_NEAR(row.o[c], dense[c], 1e-9 * (1 + exact_of(plain, 0, 0).value_norm_max)) << shape.describe();
  });
}

/// The same answer over a problem without local rows.
PathRow in_one_cache(PathRow answer) {
  answer.absent_local = 0;
  return answer;
}

/// A path's answer over a problem with local rows, judged; the same keys kept of the plain problem beside it.
struct JudgedReplay {
  PathRow answer;
  PathTraits traits;
  ExactRow exact;
  std::vector<RowIndex> order;
  PathJudgement found;
  JudgedRow plain;

  JudgedReplay(const AttentionProblem& plain_problem, const AttentionProblem& split, const Parameters& path)
      : answer(last_row(run_path(split, path))),
        traits(PathTraits::of(path)),
        exact(exact_with_local(split, 0)),
        order(ExactProfile(split, 0, 0, exact).order),
        found(judge_path(split, traits, exact, order, answer, split.seen_values(0, split.seen(split.query_position[0])),
                         ValueBalls(split.values(0)))),
        plain(plain_problem, 0, 0, in_one_cache(answer), PathTraits{}) {}
  JudgedReplay(const JudgedReplay&) = delete;
};

/// Output over some keys of the exact row, by plain sums.
std::vector<double> output_over(const AttentionProblem& problem, const ExactRow& exact, const KeySet& keys) {
  const Rows values = problem.values(0);
  std::vector<double> o(values.width());
  double z = exact.has_sink ? exact.sink_e : 0;
  for (const RowIndex j : keys) {
    z += exact.e[j];
    for (Index c = 0; c < values.width(); ++c) o[c] += exact.e[j] * values.at(j, c);
  }
  for (double& x : o) x = z > 0 ? x / z : 0;
  return o;
}

TEST(ReplayWindowBounds, SplitTheMassAndTheErrorByStageAndHoldOnEveryRow) {
  int with_loss = 0;
  for_each_replay([&](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split,
                      Index local, Index absent) {
    const Given random = {{"select.by", text("random")}, {"select.k", 0.4},
                          {"select.trials", count(1)},   {"pool.blocks", count(2)},
                          {"pool.block_size", count(3)}, {"pool.rank_by", text("max")}};
    const JudgedReplay judged(plain, split, path_of(with_replay(random, absent)));
    const PathJudgement& found = judged.found;
    const Index first_local = plain.s_kv() - local;
    double replay = 0;
    for (Index j = first_local; j < first_local + absent; ++j) replay += judged.exact.p(j);
    EXPECT_NEAR(found.delta_replay, replay, 1e-14) << shape.describe();
    EXPECT_NEAR(found.delta, judged.plain->delta, 1e-13 * (1 + judged.plain->delta)) << shape.describe();
    EXPECT_NEAR(found.delta_replay + found.delta_pool + found.delta_selection, found.delta, 1e-14);

    KeySet there = key_range(0, first_local);
    const KeySet left = key_range(first_local + absent, plain.s_kv());
    there.insert(there.end(), left.begin(), left.end());
    const double scale = 1e-9 * (1 + judged.exact.value_norm_max);
    const std::vector<double> o_there = output_over(plain, judged.exact, there);
    EXPECT_NEAR(found.output_error_replay.value, distance(judged.exact.o, o_there), scale) << shape.describe();
    EXPECT_NEAR(found.output_error_pool.value,
                distance(o_there, output_over(plain, judged.exact, judged.answer.reachable)), scale)
        << shape.describe();
    EXPECT_NEAR(found.output_error.value, judged.plain->output_error.value, scale) << shape.describe();
    EXPECT_LE(found.output_error.value, found.output_error_replay.value + found.output_error_pool.value +
                                            found.output_error_selection.value + scale);
    for (const BoundKind* kind : bounds_of(judged.traits))
      EXPECT_FALSE(violates(found, evaluate(*kind, found))) << kind->name << ' ' << shape.describe();
    EXPECT_TRUE(found.path_attended_what_it_says()) << shape.describe();
    with_loss += found.delta_replay > 0 ? 1 : 0;
  });
  EXPECT_GT(with_loss, 200);
}

TEST(ReplayWindow, LeavesRecallWhichIsOfCachedKeysAsItIs) {
  for_each_replay([](const ProblemShape& shape, const AttentionProblem& plain, const AttentionProblem& split, Index,
                     Index absent) {
    for (const Given& given : {Given{{"select.by", text("main")}, {"select.k", count(2)}}, Given{{"window", count(1)}},
                               Given{{"select.by", text("random")}, {"select.k", 0.3}, {"select.trials", count(1)}}}) {
      const JudgedReplay with(plain, split, path_of(with_replay(given, absent)));
      const JudgedReplay without(plain, split, path_of(given));
      for (const PathMetricKind* metric : metrics_of(with.traits)) {
        const double found = metric->evaluate(with.found);
        if (!metric->name.starts_with("recall")) continue;
        const double expected = metric->evaluate(without.found);
        EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
            << metric->name << ' ' << found << ' ' << expected << ' ' << shape.describe();
      }
    }
  });
}

TEST(ReplayWindow, ChargesOnlyTheLocalRowsThatAreThere) {
  const RawProblem raw = random_problem({.h_q = 2, .n = 40, .d_qk = 32, .shared_kv = true, .seed = 4});
  const AttentionProblem split = with_local(raw, 9);
  const PathRow whole = last_row(run_path(split, path_of({})));
  const PathRow row = last_row(run_path(split, path_of(with_replay({}, 4))));
  EXPECT_EQ(row.absent_local, 4);
  EXPECT_EQ(row.kept.size(), 36U);
  EXPECT_EQ(row.keys_scored, 36);
  EXPECT_EQ(whole.bytes_read_main - row.bytes_read_main, 4 * split.row_bytes());
  EXPECT_EQ(whole.bytes_stored - row.bytes_stored, 4 * split.row_bytes());
  const Given stored = {{"store", text("fp4_e4m3_16")}, {"store_local", text("fp8_e4m3_ue8m0_32")}};
  EXPECT_EQ(last_row(run_path(split, path_of(with_replay(stored, 4)))).bytes_stored, 31 * (16 + 2) + 5 * (32 + 1));
}

TEST(ReplayWindow, LeavesHeadsAndLayersOutsideThePathTheirWindows) {
  const RawProblem raw = random_problem({.h_q = 2, .n = 40, .d_qk = 8, .seed = 5});
  const AttentionProblem split = with_local(raw, 9);
  Given given = with_replay({}, 4);
  given["heads"] = std::vector<std::int64_t>{1};
  const PathRun run = run_path(split, path_of(given));
  EXPECT_EQ(run.rows[0][0].absent_local, 0);
  EXPECT_EQ(run.rows[0][1].absent_local, 4);
  EXPECT_EQ(run.rows[0][0].o, last_row(run_path(split, path_of({}))).o);
}

TEST(ReplayWindowFaults, ThatLoseNothingAreRefused) {
  const Parameters path =
      path_of({{"replay.prefix", count(10)}, {"replay.length", count(4)}, {"replay.from_layer", count(8)}});
  EXPECT_EQ(check_replay(path), std::nullopt);
  EXPECT_EQ(check_replay_of_source(path, true, {2, 8}, 10), std::nullopt);
  EXPECT_EQ(check_replay_of_source(path, false, {2, 8}, 10)->key, "replay.prefix");
  EXPECT_EQ(check_replay_of_source(path, true, {2, 7}, 10)->key, "replay.from_layer");
  EXPECT_EQ(check_replay_of_source(path, true, {2, 8}, 9)->key, "replay.prefix");
  Parameters elsewhere = path;
  elsewhere.set("layers", std::vector<std::int64_t>{2});
  EXPECT_EQ(check_replay_of_source(elsewhere, true, {2, 8}, 10)->key, "replay.from_layer");
  EXPECT_EQ(check_replay(path_of({{"replay.prefix", count(10)}, {"replay.length", count(11)}}))->key, "replay.length");
}

}  // namespace
}  // namespace lacuna
