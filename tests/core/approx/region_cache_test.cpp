// A path with regions against loops that know nothing of groups: which rows stand for a row is decided row by row.
#include <gtest/gtest.h>

#include <map>

#include "core/approx/path.hpp"
#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"
#include "support/random_shapes.hpp"
#include "support/region_paths.hpp"

namespace lacuna {
namespace {

using namespace testing_core;
using Long = long double;

/// The region (from near to far) and group of every visible row, by the definition: the farthest region all of whose
/// group lies beyond its `from`. {-1, j}: a row by itself, a sink token or one that no region has.
std::vector<std::pair<Index, Index>> place_of_rows(const std::vector<Region>& regions, Index sink_tokens,
                                                   Index visible) {
  std::vector<std::pair<Index, Index>> places;
  for (Index j = 0; j < visible; ++j) {
    places.emplace_back(-1, j);
    for (Index i = 0; i < static_cast<Index>(regions.size()); ++i) {
      const Index m = regions[static_cast<std::size_t>(i)].compress;
      if (j < sink_tokens) continue;
      const Index group = (j - sink_tokens) / m;
      const Index newest_of_group = sink_tokens + group * m + m - 1;
      if (newest_of_group < visible && visible - 1 - newest_of_group >= regions[static_cast<std::size_t>(i)].from)
        places.back() = {i, group};
    }
  }
  return places;
}

/// The answer by hand: rows of one place are averaged, one softmax over the averages and the sink.
std::vector<Long> by_hand(const AttentionProblem& problem, const std::vector<Region>& regions, bool count_weight,
                          Index sink_tokens, Index head, Index query, Index& entries) {
  const Index kv_head = head / (problem.h_q() / problem.h_kv());
  const Index visible = problem.visible_keys(problem.query_position[static_cast<std::size_t>(query)]);
  std::map<std::pair<Index, Index>, std::vector<Index>> groups;
  const auto places = place_of_rows(regions, sink_tokens, visible);
  for (Index j = 0; j < visible; ++j) groups[places[static_cast<std::size_t>(j)]].push_back(j);
  entries = static_cast<Index>(groups.size());

  std::vector<Long> score;
  std::vector<std::vector<Long>> value;
  for (const auto& [place, rows] : groups) {
    const auto m = static_cast<Long>(rows.size());
    Long s = 0;
    std::vector<Long> v(static_cast<std::size_t>(problem.d_v()), 0);
    for (const Index j : rows) {
      for (Index c = 0; c < problem.d_qk(); ++c)
        s += static_cast<Long>(problem.queries(head).at(query, c)) * problem.keys(kv_head).at(j, c) / m;
      for (Index c = 0; c < problem.d_v(); ++c) v[static_cast<std::size_t>(c)] += problem.values(kv_head).at(j, c) / m;
    }
    score.push_back(s * problem.sm_scale + (count_weight ? std::log(m) : 0));
    value.push_back(v);
  }
  const auto sink = problem.sink(head);
  Long largest = sink ? static_cast<Long>(*sink) : -std::numeric_limits<Long>::infinity();
  for (const Long s : score) largest = std::max(largest, s);
  Long z = sink ? std::exp(static_cast<Long>(*sink) - largest) : 0;
  std::vector<Long> o(static_cast<std::size_t>(problem.d_v()), 0);
  for (std::size_t g = 0; g < score.size(); ++g) {
    const Long e = std::exp(score[g] - largest);
    z += e;
    for (std::size_t c = 0; c < o.size(); ++c) o[c] += e * value[g][c];
  }
  if (z > 0)
    for (Long& x : o) x /= z;
  return o;
}

Long largest_value(const AttentionProblem& problem, Index kv_head) {
  Long largest = 1e-30L;
  for (Index j = 0; j < problem.s_kv(); ++j)
    for (Index c = 0; c < problem.d_v(); ++c)
      largest = std::max<Long>(largest, std::abs(problem.values(kv_head).at(j, c)));
  return largest;
}

TEST(RegionPath, OfEightRowsGivesTheHandNumbers) {
  // one channel, q = 1, scores log 1, .., so that weights are the numbers themselves
  const std::vector<double> score = {0, 0, 0, 0, std::log(2), std::log(8), 0, std::log(3)};
  std::vector<std::vector<double>> values;
  for (const double v : {1, 2, 3, 6, 5, 7, 2, 4}) values.push_back({v});
  const AttentionProblem problem = problem_of_scores(score, values).build();
  const std::vector<Region> regions = {{}, {.from = 2, .compress = 2}, {.from = 4, .compress = 4}};
  // entries: rows 6, 7 (weights 1, 3); rows 4, 5 (score log 4, value 6); rows 0 .. 3 (score 0, value 3)
  const PathRow counted = last_row(run_path(problem, region_path(regions)));
  EXPECT_EQ(counted.entries, 4);
  EXPECT_NEAR(counted.o[0], (1 * 2 + 3 * 4 + 2 * 4 * 6 + 4 * 1 * 3) / (1 + 3 + 8 + 4.0), 1e-14);
  EXPECT_NEAR(counted.log_sum_exp, std::log(16), 1e-14);
  const PathRow as_one = last_row(run_path(problem, region_path(regions, false)));
  EXPECT_NEAR(as_one.o[0], (1 * 2 + 3 * 4 + 4 * 6 + 1 * 3) / (1 + 3 + 4 + 1.0), 1e-14);
}

TEST(RegionPath, KeepsSinkTokensAsTheyAreAndCountsGroupsFromBehindThem) {
  // equal scores: the output is the mean value, every row counted, whatever the groups
  const AttentionProblem problem =
      problem_of_scores({0, 0, 0, 0, 0, 0, 0}, {{64}, {1}, {3}, {5}, {7}, {9}, {11}}).build();
  const std::vector<Region> regions = {{}, {.from = 2, .compress = 2}};
  const PathRow row = last_row(run_path(problem, region_path(regions, true, 1)));
  // row 0; rows 1, 2 and 3, 4 as entries 2 and 6; rows 5 and 6
  EXPECT_EQ(row.entries, 5);
  EXPECT_NEAR(row.o[0], 100 / 7.0, 1e-14);
  const PathRow as_one = last_row(run_path(problem, region_path(regions, false, 1)));
  EXPECT_NEAR(as_one.o[0], (64 + 2 + 6 + 9 + 11) / 5.0, 1e-14);
  // without sink tokens rows 0, 1 and 2, 3 are the entries, and 4, 5, 6 stay
  const PathRow without = last_row(run_path(problem, region_path(regions, false)));
  EXPECT_NEAR(without.o[0], (32.5 + 4 + 7 + 9 + 11) / 5.0, 1e-14);
}

TEST(RegionPath, AgreesWithLoopsOverRowsForAnyRegions) {
  Random random(5);
  int compressed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ProblemShape shape = random_shape(seed, 60, 6);
    shape.h_kv = random.integer(1, 2);
    shape.h_q = shape.h_kv * random.integer(1, 2);
    shape.n += 20;
    shape.s_q = random.integer(1, 4);
    if (shape.data == Data::cancelling) shape.data = Data::gaussian;  // means of 1e6 in pairs have no digits left
    const AttentionProblem problem = random_problem(shape).build();
    const std::vector<Region> regions = random_regions(random, 30);
    const bool count_weight = random.chance(0.5);
    const Index sink_tokens = random.one_of<Index>({0, 0, 1, 4, 70});
    const PathRun run = run_path(problem, region_path(regions, count_weight, sink_tokens));
    for (Index query = 0; query < problem.s_q(); ++query) {
      for (Index head = 0; head < problem.h_q(); ++head) {
        const PathRow& row = run.rows[static_cast<std::size_t>(query)][static_cast<std::size_t>(head)];
        Index entries = 0;
        const auto expected = by_hand(problem, regions, count_weight, sink_tokens, head, query, entries);
        ASSERT_EQ(row.entries, entries) << shape.describe();
        EXPECT_EQ(row.keys_scored, entries);
        EXPECT_TRUE(row.kept.empty());
        compressed += entries < problem.visible_keys(problem.query_position[static_cast<std::size_t>(query)]) ? 1 : 0;
        const Long scale = largest_value(problem, problem.kv_head_of(head)) * static_cast<Long>(shape.score_spread + 1);
        for (std::size_t c = 0; c < expected.size(); ++c)
          EXPECT_LE(std::abs(row.o[c] - expected[c]), 1e-12L * scale) << shape.describe();
      }
    }
  }
  EXPECT_GT(compressed, 300) << "most rows must have something compressed";
}

TEST(RegionPath, OfUncompressedRowsInAFormatEqualsTheStoreStageToTheBit) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    for (const char* format : {"bf16", "int8_token", "q8_0"}) {
      const FormatKind& kind = FormatRegistry::instance().at(format);
      if (kind.check({.width = problem.d_qk()}) || kind.check({.width = problem.d_v()})) continue;
      const PathRun stored = run_path(problem, path_of({{"store", text(format)}}));
      const PathRun regions = run_path(problem, region_path({{.store = format}}));
      for (std::size_t query = 0; query < stored.rows.size(); ++query)
        for (std::size_t head = 0; head < stored.rows[query].size(); ++head) {
          const PathRow& a = stored.rows[query][head];
          const PathRow& b = regions.rows[query][head];
          EXPECT_EQ(b.o, a.o) << shape.describe();
          EXPECT_EQ(b.log_sum_exp, a.log_sum_exp);
          EXPECT_EQ(b.entries, static_cast<Index>(a.kept.size()));
          EXPECT_EQ(b.bytes_read_main, a.bytes_read_main);
          EXPECT_EQ(b.bytes_stored, a.bytes_stored);
          EXPECT_EQ(b.keys_scored, a.keys_scored);
        }
    }
  }
}

TEST(RegionPath, OfExactRowsEqualsThePathWithoutStagesUpToRounding) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const PathRun exact = run_path(problem, path_of({}));
    const PathRun one = run_path(problem, region_path({{}}));
    const PathRun many = run_path(problem, region_path({{}, {.from = 3}, {.from = 11}}));
    for (std::size_t query = 0; query < exact.rows.size(); ++query)
      for (std::size_t head = 0; head < exact.rows[query].size(); ++head) {
        EXPECT_EQ(one.rows[query][head].o, exact.rows[query][head].o) << shape.describe();
        EXPECT_EQ(many.rows[query][head].bytes_read_main, exact.rows[query][head].bytes_read_main);
        EXPECT_EQ(many.rows[query][head].bytes_stored, exact.rows[query][head].bytes_stored);
        for (std::size_t c = 0; c < exact.rows[query][head].o.size(); ++c)
          EXPECT_NEAR(many.rows[query][head].o[c], exact.rows[query][head].o[c], 1e-13) << shape.describe();
      }
  }
}

TEST(RegionPath, IsTheSameHoweverRowsAreAppended) {
  Random random(3);
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    for (int trial = 0; trial < 10; ++trial) {
      const Parameters path =
          region_path(random_regions(random, 30, {"exact", "bf16", "int8_token"}), true, random.integer(0, 5));
      const PathRun whole = run_path(problem, path);
      for (const Index rows : {1, 3, 7}) {
        RunOptions options;
        options.rows_at_a_time = rows;
        EXPECT_TRUE(same_answers(run_path(problem, path, options).rows, whole.rows)) << shape.describe();
      }
    }
  }
}

TEST(RegionPath, NeverReadsARowToCome) {
  Random random(9);
  for (const ProblemShape& shape : stage_shapes()) {
    if (shape.n < 2) continue;
    RawProblem raw = random_problem(shape);
    raw.s_q = 1;
    raw.q.resize(static_cast<std::size_t>(raw.h_q * raw.d_qk));
    for (int trial = 0; trial < 10; ++trial) {
      const Index visible = random.integer(1, raw.n - 1);
      raw.query_position = {visible - 1};
      RawProblem poisoned = raw;
      for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head)
        for (Index j = visible; j < raw.n; ++j) poisoned.poison(kv_head, j);
      const Parameters path = region_path(random_regions(random, 30, {"exact", "bf16"}), true, random.integer(0, 5));
      EXPECT_TRUE(same_answers(run_path(poisoned.build(), path).rows, run_path(raw.build(), path).rows))
          << shape.describe() << " visible " << visible;
    }
  }
}

TEST(RegionPath, EntriesDependOnTheirOwnRowsAlone) {
  // the rows of one group are poisoned: what is NaN then is exactly the queries that still see the group
  RawProblem raw = random_problem({.h_q = 1, .h_kv = 1, .s_q = 12, .n = 24, .d_qk = 4, .d_v = 4});
  for (Index j = 20; j < 24; ++j) raw.poison(0, j);
  const AttentionProblem problem = raw.build();
  const PathRun run = run_path(problem, region_path({{}, {.from = 4, .compress = 4, .store = "exact"}}));
  for (Index query = 0; query < 12; ++query) {
    const bool sees_poison = problem.query_position[static_cast<std::size_t>(query)] >= 20;
    EXPECT_EQ(std::isnan(run.rows[static_cast<std::size_t>(query)][0].o[0]), sees_poison) << query;
  }
}

TEST(RegionPath, BytesAreThoseCountedByHand) {
  // d_qk = 16, d_v = 16, bf16 source: a row is 64 bytes; an int8_token entry as the format says
  RawProblem raw = random_problem({.n = 23, .d_qk = 16, .d_v = 16});
  raw.stored_element_bytes = 2;
  const AttentionProblem problem = raw.build();
  const Index entry = 2 * FormatRegistry::instance().at("int8_token").group_bytes({.width = 16});
  // 23 rows: e_1 = floor(20 / 2) 2 = 20, e_2 = floor(16 / 4) 4 = 16: 3 rows, 2 entries of two, 4 of four
  const PathRow row = last_row(run_path(problem, region_path({{},
                                                              {.from = 3, .compress = 2, .store = "int8_token"},
                                                              {.from = 7, .compress = 4, .store = "int8_token"}})));
  EXPECT_EQ(row.entries, 3 + 2 + 4);
  EXPECT_EQ(row.bytes_read_main, 3 * 64 + (2 + 4) * entry);
  // the farthest region's entry of rows 16 .. 19 was made when they came, and rows 20 .. 22 are on their way to one
  EXPECT_EQ(row.bytes_stored, 3 * 64 + (2 + 5) * entry + 64);
}

TEST(RegionPath, LeavesLayersAndHeadsExactThatItDoesNotCover) {
  const AttentionProblem problem =
      random_problem({.h_q = 4, .h_kv = 2, .s_q = 3, .n = 40, .d_qk = 4, .d_v = 4}).build();
  Parameters path = region_path({{}, {.from = 4, .compress = 4}});
  path.set("heads", std::vector<std::int64_t>{0, 1, 2});
  const PathRun run = run_path(problem, path);
  const PathRun exact = run_path(problem, path_of({}));
  const PathRun all = run_path(problem, region_path({{}, {.from = 4, .compress = 4}}));
  for (std::size_t query = 0; query < 3; ++query) {
    for (std::size_t head = 0; head < 3; ++head) EXPECT_EQ(run.rows[query][head].o, all.rows[query][head].o);
    EXPECT_EQ(run.rows[query][3].o, exact.rows[query][3].o);
    EXPECT_EQ(run.rows[query][3].kept, exact.rows[query][3].kept);
    // KV head 0 keeps entries alone, KV head 1 entries for head 2 and rows for head 3
    EXPECT_EQ(run.rows[query][0].bytes_stored, all.rows[query][0].bytes_stored);
    EXPECT_EQ(run.rows[query][3].bytes_stored, all.rows[query][3].bytes_stored + exact.rows[query][3].bytes_stored);
    EXPECT_EQ(run.rows[query][2].bytes_read_main,
              all.rows[query][2].bytes_read_main + exact.rows[query][3].bytes_read_main);
  }
  path.set("layers", std::vector<std::int64_t>{5});
  EXPECT_TRUE(same_answers(run_path(problem, path).rows, exact.rows)) << "this layer is 0";
}

TEST(RegionPath, AttendsTheLocalRowsBesideItsEntries) {
  RawProblem raw = random_problem({.s_q = 1, .n = 17, .d_qk = 4, .d_v = 4});
  // the last 5 rows once as the nearest region of the cache, once as local rows
  const PathRow whole = last_row(run_path(raw.build(), region_path({{}, {.from = 5, .compress = 4}})));
  RawProblem cached = raw;
  cached.n = 12;
  cached.k.resize(12 * 4);
  cached.v.resize(12 * 4);
  cached.key_position.resize(12);
  AttentionProblem problem = cached.build();
  const auto tokens = [](const std::vector<double>& rows) { return Tensor(1, 17, 4, rows); };
  problem.local.k = tokens(raw.k);
  problem.local.v = tokens(raw.v);
  problem.local.window = 5;
  const PathRow split = last_row(run_path(problem, region_path({{.compress = 4}})));
  EXPECT_EQ(split.entries, 3);
  EXPECT_EQ(split.kept, (KeySet{12, 13, 14, 15, 16}));
  EXPECT_EQ(split.keys_scored, whole.keys_scored);
  EXPECT_EQ(split.bytes_read_main, whole.bytes_read_main);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(split.o[c], whole.o[c], 1e-14);
}

}  // namespace
}  // namespace lacuna
