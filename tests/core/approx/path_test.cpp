#include "core/approx/path.hpp"

#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/random_shapes.hpp"
#include "support/wide_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

using Labels = std::vector<std::int64_t>;

/// f(row, visible, query, head) over every shape of stages, with a query for many positions.
template <class F>
void for_each_answer(const Given& given, F&& f) {
  for (const ProblemShape& shape : stage_shapes()) {
    RawProblem raw = random_problem(shape);
    for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = i * (raw.n - 1) / std::max<Index>(raw.s_q - 1, 1);
    const AttentionProblem problem = raw.build();
    const PathRun run = run_path(problem, path_of(given));
    for (Index query = 0; query < raw.s_q; ++query)
      for (Index head = 0; head < raw.h_q; ++head)
        f(run.rows[query][head], raw.query_position[query] + 1, problem, head, query);
  }
}

TEST(Path, WindowAttendsToTheNewestKeysForEveryPosition) {
  const RawProblem raw = random_problem({.h_q = 2, .h_kv = 1, .s_q = 40, .n = 40, .d_qk = 2, .d_v = 2, .seed = 2});
  for (const Index w : {1, 2, 3, 17, 40, 100}) {
    const PathRun run = run_path(raw.build(), path_of({{"window", count(w)}}));
    for (Index t = 0; t < 40; ++t)
      for (const PathRow& row : run.rows[t]) {
        EXPECT_EQ(static_cast<Index>(row.kept.size()), std::min(w, t + 1));
        EXPECT_EQ(row.kept.back(), t) << "the query's own key counts";
        EXPECT_EQ(row.kept.front(), std::max<Index>(t - w + 1, 0));
      }
  }
}

TEST(Path, SinkTokensAreTheFirstKeys) {
  for_each_answer({{"sink_tokens", count(3)}}, [](const PathRow& row, Index visible, const auto&...) {
    EXPECT_EQ(row.kept, key_range(0, std::min<Index>(3, visible)));
  });
}

TEST(Path, CountsEachKeyOfTheUnionOnce) {
  const Given given = {{"select.by", text("main")}, {"select.k", count(9)},    {"window", count(6)},
                       {"sink_tokens", count(4)},   {"pool.blocks", count(3)}, {"pool.block_size", count(4)}};
  for_each_answer(
      given, [](const PathRow& row, Index visible, const AttentionProblem& problem, Index head, Index query) {
        EXPECT_EQ(std::adjacent_find(row.kept.begin(), row.kept.end(), std::greater_equal<>()), row.kept.end());
        EXPECT_LE(static_cast<Index>(row.kept.size()), std::min<Index>(visible, 9 + 6 + 4));
        // a key attended twice would weigh twice: the output is that of the set
        const WideRow wide = wide_row(problem, head, query);
        EXPECT_LE(to_double(wide_distance(widen(row.o), wide.output(row.kept))), 1e-13);
      });
}

TEST(Path, OutputIsTheSoftmaxOverItsKeysAndTheSink) {
  for (const Given& given : std::vector<Given>{{},
                                               {{"window", count(5)}},
                                               {{"select.by", text("main")}, {"select.k", count(4)}},
                                               {{"select.by", text("random")}, {"select.k", count(4)}}})
    for_each_answer(given, [](const PathRow& row, Index, const AttentionProblem& problem, Index head, Index query) {
      const WideRow wide = wide_row(problem, head, query);
      EXPECT_LE(to_double(wide_distance(widen(row.o), wide.output(row.kept))), 1e-13);
      const Wide z = wide.weight(row.kept) + wide.sink_e;
      EXPECT_NEAR(row.log_sum_exp, to_double(Wide(wide.m + log(z))), 1e-12);
    });
}

TEST(Path, WithoutStagesAttendsToEverything) {
  for_each_answer({}, [](const PathRow& row, Index visible, const auto&...) {
    EXPECT_TRUE(row.ran);
    EXPECT_EQ(row.kept, key_range(0, visible));
    EXPECT_EQ(row.keys_scored, visible);
    EXPECT_EQ(row.ties_at_cut, 0);
  });
}

TEST(Path, WithoutSelectionAttendsToItsWholePoolAndWindow) {
  for_each_answer({{"pool.blocks", count(2)}, {"pool.block_size", count(4)}, {"window", count(3)}},
                  [](const PathRow& row, Index, const auto&...) { EXPECT_EQ(row.kept, row.reachable); });
}

TEST(Path, SelectsOutsideTheWindowOnlyWhenAsked) {
  // the newest keys score highest
  std::vector<double> scores(20);
  for (int j = 0; j < 20; ++j) scores[j] = j;
  const AttentionProblem problem = problem_of_scores(scores, std::vector<std::vector<double>>(20, {1})).build();
  Given given = {{"select.by", text("main")}, {"select.k", count(3)}, {"window", count(4)}, {"sink_tokens", count(2)}};
  EXPECT_EQ(last_row(run_path(problem, path_of(given))).kept, (KeySet{0, 1, 16, 17, 18, 19}));
  given["select.outside_window"] = true;
  EXPECT_EQ(last_row(run_path(problem, path_of(given))).kept, (KeySet{0, 1, 13, 14, 15, 16, 17, 18, 19}));
}

TEST(Path, LeavesOtherLayersAndHeadsExact) {
  const ProblemShape shape{.h_q = 4, .h_kv = 2, .s_q = 2, .n = 30, .d_qk = 3, .d_v = 2, .seed = 4};
  const AttentionProblem problem = random_problem(shape).build();
  RunOptions options{.layer = 1, .layer_label = {3, 17, 20}, .head_label = {8, 9, 10, 12}};
  const auto kept = [&](const Given& more, Index head) {
    Given given = {{"window", count(5)}};
    for (const auto& [key, value] : more) given[key] = value;
    return run_path(problem, path_of(given), options).rows[1][head].kept.size();
  };
  for (Index head = 0; head < 4; ++head) {
    EXPECT_EQ(kept({{"layers", Labels{3, 17}}}, head), 5U);
    EXPECT_EQ(kept({{"layers", Labels{3, 20}}}, head), 30U) << "by label, not by index";
    EXPECT_EQ(kept({{"layers", Labels{1}}}, head), 30U);
    EXPECT_EQ(kept({{"heads", Labels{9, 12}}}, head), head == 1 || head == 3 ? 5U : 30U);
    EXPECT_EQ(kept({{"heads", Labels{9}}, {"layers", Labels{20}}}, head), 30U);
  }
}

TEST(Path, ExactHeadsTakeNoPartInASharedSelection) {
  const ProblemShape shape{.h_q = 3, .h_kv = 1, .n = 30, .d_qk = 3, .d_v = 2, .score_spread = 3, .seed = 14};
  const AttentionProblem problem = random_problem(shape).build();
  const Given layer = {{"select.by", text("main")}, {"select.k", count(4)}, {"select.share", text("layer")}};
  Given limited = layer;
  limited["heads"] = Labels{1};
  Given alone = layer;
  alone["select.share"] = text("head");
  const PathRun run = run_path(problem, path_of(limited));
  EXPECT_EQ(run.rows[0][1].kept, run_path(problem, path_of(alone)).rows[0][1].kept);
  EXPECT_EQ(run.rows[0][0].kept.size(), 30U);
}

TEST(Path, PublishesItsSelectionOrWhatItAttended) {
  const AttentionProblem problem = random_problem({.n = 30, .d_qk = 3, .d_v = 2, .seed = 14}).build();
  const PathRun selecting =
      run_path(problem, path_of({{"select.by", text("main")}, {"select.k", count(4)}, {"window", count(3)}}));
  EXPECT_EQ(selecting.published[0][0].size(), 4U);
  EXPECT_EQ(set_union(selecting.published[0][0], key_range(27, 30)), selecting.rows[0][0].kept);
  const PathRun window = run_path(problem, path_of({{"window", count(3)}}));
  EXPECT_EQ(window.published[0][0], key_range(27, 30));
}

TEST(Path, DecodeIsTheLastRowOfAPrefill) {
  const ProblemShape shape{.h_q = 4, .h_kv = 2, .s_q = 30, .n = 30, .d_qk = 5, .d_v = 3, .sink = true, .seed = 19};
  const AttentionProblem problem = random_problem(shape).build();
  for (const Given& given : std::vector<Given>{{},
                                               {{"window", count(7)}},
                                               {{"select.by", text("box")}, {"select.k", count(6)}},
                                               {{"pool.blocks", count(3)}, {"pool.block_size", count(4)}}}) {
    const PathRun prefill = run_path(problem, path_of(given));
    const PathRun decode = run_path(problem, path_of(given), {.first_query = 29});
    EXPECT_TRUE(same_answers({prefill.rows.back()}, decode.rows));
  }
}

TEST(Path, SevenHeadsPerGroupAttendAsRepeatedKeysAndValues) {
  const RawProblem gqa = random_problem({.h_q = 14, .h_kv = 2, .n = 29, .d_qk = 5, .d_v = 4, .sink = true});
  RawProblem mha = gqa;
  mha.h_kv = 14;
  mha.k.clear();
  mha.v.clear();
  for (Index head = 0; head < 14; ++head) {
    mha.k.insert(mha.k.end(), gqa.k.begin() + head / 7 * 145, gqa.k.begin() + (head / 7 + 1) * 145);
    mha.v.insert(mha.v.end(), gqa.v.begin() + head / 7 * 116, gqa.v.begin() + (head / 7 + 1) * 116);
  }
  for (const char* by : {"main", "box", "value_aware"}) {
    const Parameters path = path_of({{"select.by", text(by)}, {"select.k", count(5)}, {"window", count(2)}});
    const PathRun a = run_path(gqa.build(), path);
    const PathRun b = run_path(mha.build(), path);
    for (Index head = 0; head < 14; ++head) {
      EXPECT_EQ(a.rows[0][head].kept, b.rows[0][head].kept) << by;
      EXPECT_EQ(a.rows[0][head].o, b.rows[0][head].o) << by;
    }
  }
}

TEST(Path, OfAQueryThatSeesNothingAnswersZero) {
  RawProblem raw = random_problem({.h_q = 2, .h_kv = 1, .n = 5, .d_qk = 2, .d_v = 3});
  raw.query_position = {-1};
  for (const Given& given : std::vector<Given>{{},
                                               {{"window", count(7)}, {"sink_tokens", count(2)}},
                                               {{"select.by", text("main")}, {"select.k", count(6)}},
                                               {{"select.by", text("main")}, {"select.mass", 0.5}},
                                               {{"select.by", text("ball")}, {"select.k", 0.5}}}) {
    const PathRow row = last_row(run_path(raw.build(), path_of(given)));
    EXPECT_TRUE(row.kept.empty());
    EXPECT_EQ(row.o, std::vector<double>(3, 0.0));
    EXPECT_EQ(row.log_sum_exp, -std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace lacuna
