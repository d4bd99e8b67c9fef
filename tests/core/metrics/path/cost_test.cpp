// What a path read and keeps, by hand. Two bytes an element, d_qk = 3, d_v = 5: a key row is 6 bytes, a value row 10.
#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

RawProblem tiny(Index h_q, Index h_kv, Index n) {
  RawProblem raw = random_problem({.h_q = h_q, .h_kv = h_kv, .n = n, .d_qk = 3, .d_v = 5, .seed = 2});
  raw.stored_element_bytes = 2;
  return raw;
}

PathRow row_of(const RawProblem& raw, const Given& given, Index head = 0) {
  return last_row(run_path(raw.build(), path_of(given)), head);
}

TEST(Cost, OfAWindowIsItsRows) {
  const PathRow row = row_of(tiny(1, 1, 20), {{"window", count(4)}});
  EXPECT_EQ(row.keys_scored, 4);
  EXPECT_EQ(row.bytes_read_main, 4 * 16);
  EXPECT_EQ(row.bytes_read_summary, 0);
  EXPECT_EQ(row.bytes_stored, 20 * 16);
}

TEST(Cost, OfAnOracleIsEveryKeyAndTheChosenValues) {
  const PathRow row = row_of(tiny(1, 1, 20), {{"select.by", text("main")}, {"select.k", count(3)}});
  EXPECT_EQ(row.keys_scored, 20);
  EXPECT_EQ(row.bytes_read_main, 20 * 6 + 3 * 10);
}

TEST(Cost, OfSharedKeysAndValuesReadsEachRowOnce) {
  RawProblem raw = tiny(1, 1, 20);
  raw.v.clear();  // K = V: a row is 6 bytes
  EXPECT_EQ(row_of(raw, {{"window", count(4)}}).bytes_read_main, 4 * 6);
  EXPECT_EQ(row_of(raw, {{"window", count(4)}}).bytes_stored, 20 * 6);
  EXPECT_EQ(row_of(raw, {{"select.by", text("main")}, {"select.k", count(3)}}).bytes_read_main, 20 * 6);
}

TEST(Cost, CountsTheUnionOverTheHeadsOfAKvHead) {
  // one channel: head 0 has q = 1 and takes the largest keys, head 1 has q = -1 and takes the smallest
  RawProblem raw = problem_of({1.0}, {{1}, {2}, {3}, {4}, {5}, {6}}, {{0}, {0}, {0}, {0}, {0}, {0}});
  raw.h_q = 2;
  raw.q = {1, -1};
  raw.stored_element_bytes = 4;
  const PathRun run = run_path(
      raw.build(), path_of({{"select.by", text("box")}, {"select.k", count(2)}, {"select.block_size", count(2)}}));
  EXPECT_EQ(run.rows[0][0].kept, (KeySet{4, 5}));
  EXPECT_EQ(run.rows[0][1].kept, (KeySet{0, 1}));
  for (Index head = 0; head < 2; ++head) {
    EXPECT_EQ(run.rows[0][head].keys_scored, 2) << "each head scores its own";
    EXPECT_EQ(run.rows[0][head].bytes_read_main, 4 * 8) << "the KV head reads both";
    EXPECT_EQ(run.rows[0][head].bytes_read_summary, 3 * 2 * 4) << "three blocks of minimum and maximum, read once";
    EXPECT_EQ(run.rows[0][head].bytes_stored, 6 * 8 + 3 * 2 * 4);
  }
}

TEST(Cost, KvHeadsAreChargedApart) {
  // KV head 0 serves an oracle's head that the path leaves exact; KV head 1 a window
  RawProblem raw = tiny(2, 2, 20);
  const PathRun run = run_path(raw.build(), path_of({{"window", count(4)}, {"heads", std::vector<std::int64_t>{1}}}));
  EXPECT_EQ(run.rows[0][0].bytes_read_main, 20 * 16);
  EXPECT_EQ(run.rows[0][1].bytes_read_main, 4 * 16);
}

TEST(Cost, OfSummariesByKind) {
  // 20 keys in blocks of 8: 3 blocks; box 2 d, mean d, ball d + 1 numbers of 2 bytes; norms one number a key
  const RawProblem raw = tiny(1, 1, 20);
  const auto with = [&](const char* by) {
    return row_of(raw, {{"select.by", text(by)}, {"select.k", count(8)}, {"select.block_size", count(8)}});
  };
  EXPECT_EQ(with("box").bytes_read_summary, 3 * 6 * 2);
  EXPECT_EQ(with("block_mean").bytes_read_summary, 3 * 3 * 2);
  EXPECT_EQ(with("ball").bytes_read_summary, 3 * 4 * 2);
  EXPECT_EQ(with("ball").bytes_stored, 20 * 16 + 3 * 4 * 2);
  const PathRow value_aware = row_of(raw, {{"select.by", text("value_aware")}, {"select.k", count(8)}});
  EXPECT_EQ(value_aware.bytes_read_summary, 20 * 2);
  EXPECT_EQ(value_aware.bytes_stored, 20 * 16 + 20 * 2);
}

TEST(Cost, OfAPoolRankedBySummariesAndAttendedWhole) {
  // 20 keys, 2 blocks of 4: 8 keys read, 5 boxes read
  const PathRow row =
      row_of(tiny(1, 1, 20), {{"pool.blocks", count(2)}, {"pool.block_size", count(4)}, {"pool.rank_by", text("box")}});
  EXPECT_EQ(row.kept.size(), 8U);
  EXPECT_EQ(row.keys_scored, 8);
  EXPECT_EQ(row.bytes_read_main, 8 * 16);
  EXPECT_EQ(row.bytes_read_summary, 5 * 6 * 2);
}

TEST(Cost, OfASelectionWithinAPoolIsThePoolsKeysAndTheChosenValues) {
  const Given within = {{"pool.blocks", count(2)},
                        {"pool.block_size", count(4)},
                        {"pool.rank_by", text("box")},
                        {"select.by", text("main")},
                        {"select.k", count(3)}};
  const PathRow row = row_of(tiny(1, 1, 20), within);
  EXPECT_EQ(row.keys_scored, 8);
  EXPECT_EQ(row.bytes_read_main, 8 * 6 + 3 * 10);
  // the window's key outside the pool is scored to be attended
  Given with_window = within;
  with_window["sink_tokens"] = count(20);
  EXPECT_EQ(row_of(tiny(1, 1, 20), with_window).bytes_read_main, 20 * 16);
  // a pool ranked by its maxima reads every key
  Given by_max = within;
  by_max["pool.rank_by"] = text("max");
  EXPECT_EQ(row_of(tiny(1, 1, 20), by_max).keys_scored, 20);
  EXPECT_EQ(row_of(tiny(1, 1, 20), by_max).bytes_read_main, 20 * 6 + 3 * 10);
}

TEST(Cost, IsReportedAsItWasCharged) {
  const AttentionProblem problem = tiny(1, 1, 20).build();
  const Parameters path = path_of({{"select.by", text("box")}, {"select.k", count(3)}, {"window", count(2)}});
  const PathRow row = last_row(run_path(problem, path));
  const JudgedRow judged(problem, 0, 0, row, PathTraits::of(path));
  EXPECT_EQ(judged.metric("keys_scored"), static_cast<double>(row.keys_scored));
  EXPECT_EQ(judged.metric("keys_attended"), static_cast<double>(row.kept.size()));
  EXPECT_EQ(judged.metric("bytes_read_main"), static_cast<double>(row.bytes_read_main));
  EXPECT_EQ(judged.metric("bytes_read_summary"), static_cast<double>(row.bytes_read_summary));
  EXPECT_EQ(judged.metric("bytes_stored"), static_cast<double>(row.bytes_stored));
  EXPECT_EQ(judged.metric("ties_at_cut"), static_cast<double>(row.ties_at_cut));
  EXPECT_FALSE(PathMetricRegistry::instance().at("bytes_read_summary").applies({}));
}

}  // namespace
}  // namespace lacuna
