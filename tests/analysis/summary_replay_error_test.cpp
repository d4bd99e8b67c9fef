#include <gtest/gtest.h>

#include "analysis/small_results.hpp"
#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// Two hits, one length, two variants, two sequences, two layers, three offsets, two steps. The second sequence of the
/// last replay has a changed row.
void write_replays(const std::string& file) {
  SmallResults results(file, "replay_error");
  const std::string group = "/replay";
  results.dimension(group, "hit", std::vector<std::int64_t>{4, 8});
  results.dimension(group, "replay_length", std::vector<std::int64_t>{3});
  results.dimension(group, "variant", std::vector<std::string>{"decoder_first", "prefix_hit"});
  results.dimension(group, "sequence", std::vector<std::string>{"0", "1"});
  results.dimension(group, "layer", std::vector<std::int64_t>{0, 1});
  results.dimension(group, "offset", std::vector<std::int64_t>{0, 1, 2});
  results.dimension(group, "step", std::vector<std::int64_t>{0, 1});
  const std::vector<std::string> of_replay = {"hit", "replay_length", "variant"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), of_replay.begin(), of_replay.end());
    return more;
  };
  results.integers(group, "hit_tokens", of_replay, {0, 4, 0, 8});
  results.integers(group, "layer_tokens_formula", of_replay, {10, 20, 10, 30});
  results.integers(group, "layer_tokens", with({"sequence"}), {10, 10, 20, 20, 10, 10, 30, 31});
  results.reals(group, "layer_tokens_share", with({"sequence"}), {.25, .25, .5, .5, .25, .25, .75, .75});
  results.codes(group, "global_rows_unchanged", with({"sequence"}), {1, 1, 1, 1, 1, 1, 1, 0});
  std::vector<std::uint8_t> state;
  std::vector<double> error;
  for (int replay = 0; replay < 4; ++replay)
    for (int sequence = 0; sequence < 2; ++sequence) {
      state.insert(state.end(), {0, 1, 1, 0, 0, 2});  // the last layer ran on two tokens
      error.insert(error.end(), {.1, 0, 0, .4, replay + .5 + sequence, kNan});
    }
  results.codes(group, "state_exact", with({"sequence", "layer", "offset"}), state);
  results.reals(group, "hidden_error_relative", with({"sequence", "layer", "offset"}), error);
  const std::vector<double> kl = {1, 2, 3, 10, 0, 0, 0, 0, 1, 2, 3, 10, 5, 5, 5, 5};
  results.reals(group, "kl_exact_approx", with({"sequence", "step"}), kl);
  results.reals(group, "total_variation", with({"sequence", "step"}), kl);
  const std::vector<std::uint8_t> agrees = {1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0};
  results.codes(group, "top_1_agrees", with({"sequence", "step"}), agrees);
  results.codes(group, "greedy_agrees", with({"sequence", "step"}), agrees);
}

double number(const Table& table, std::size_t row, const std::string& variant, const std::string& column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].group == variant && table.columns[c].name == column)
      return table.rows.at(row).at(c).estimate.value;
  throw InternalError("no column " + column);
}

TEST(SummaryOfReplayError, SetsVariantsSideBySideAndLeavesOutTheSameReplay) {
  const TemporaryDirectory directory;
  write_replays(directory / "r.h5");
  const Summary summary = summarize(directory / "r.h5");
  ASSERT_EQ(summary.tables.size(), 1u);
  const Table& table = summary.tables.front();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.columns[0].name, "hit");
  EXPECT_EQ(table.columns[1].name, "replay_length");
  EXPECT_EQ(table.rows[1][0].text, "8");
  EXPECT_EQ(table.rows[1][1].text, "3");
  EXPECT_EQ(number(table, 0, "decoder_first", "last hidden"), 1);  // .5 and 1.5: the last token, behind the last layer
  EXPECT_EQ(number(table, 0, "decoder_first", "states exact"), 0.4);  // 2 of the 5 that ran
  EXPECT_EQ(number(table, 0, "decoder_first", "KL p50"), 2.5);
  EXPECT_EQ(number(table, 0, "decoder_first", "KL max"), 10);
  EXPECT_EQ(number(table, 0, "decoder_first", "greedy agrees"), 0.75);
  EXPECT_EQ(number(table, 0, "prefix_hit", "layer-tokens"), 20);
  EXPECT_EQ(number(table, 1, "prefix_hit", "of a full prefill"), 0.75);
  EXPECT_TRUE(std::isnan(number(table, 1, "decoder_first", "KL max")));  // it knows no hit
  EXPECT_EQ(summary.failures, 1) << "one sequence with a changed row and a wrong count";
  EXPECT_FALSE(summary.sound());
}

TEST(SummaryOfReplayError, ByLayerTellsTheStatesApart) {
  const TemporaryDirectory directory;
  write_replays(directory / "r.h5");
  const Summary summary = summarize(directory / "r.h5", {"layer"});
  ASSERT_EQ(summary.tables.size(), 2u);
  const Table& states = summary.tables[1];
  ASSERT_EQ(states.rows.size(), 4u);
  EXPECT_EQ(states.columns[2].name, "layer");
  EXPECT_NEAR(number(states, 0, "decoder_first", "states exact"), 2. / 3, 1e-15);
  EXPECT_EQ(number(states, 1, "decoder_first", "states exact"), 0);
  EXPECT_EQ(number(states, 0, "prefix_hit", "hidden p50"), 0);
  EXPECT_TRUE(std::isnan(number(states, 2, "decoder_first", "states exact")));
  EXPECT_THROW(summarize(directory / "r.h5", {"head"}), UsageError);
}

}  // namespace
}  // namespace lacuna
