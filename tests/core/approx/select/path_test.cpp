// The selection of another path, in this layer or an earlier one.
#include <gtest/gtest.h>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

const ProblemShape kShape{.h_q = 4, .h_kv = 2, .s_q = 2, .n = 20, .d_qk = 2, .d_v = 1, .seed = 3};

/// Layer l, query i, head h of "top" selects {h, 4 + l, 10 + i}.
SelectionStore store_of_layers(Index layers) {
  SelectionStore store;
  store.reserve("top", 0, layers, 2, 4);
  store.reserve("top", 1, layers, 2, 4);
  for (Index layer = 0; layer < layers; ++layer)
    for (Index query = 0; query < 2; ++query)
      for (Index head = 0; head < 4; ++head) {
        store.at("top", 0, layer, query, head) = Published{
            {static_cast<RowIndex>(head), static_cast<RowIndex>(4 + layer), static_cast<RowIndex>(10 + query)}, {}};
        store.at("top", 1, layer, query, head) = Published{{15}, {}};
      }
  return store;
}

/// In the layer labelled 7, the third of 2, 6, 7, 9.
PathRun reading(const Given& more) {
  Given given = {{"select.by", text("path")}, {"select.path", text("top")}, {"select.path_cell", count(0)}};
  for (const auto& [key, value] : more) given[key] = value;
  const SelectionStore store = store_of_layers(4);
  RunOptions options{.layer = 2, .layer_label = {2, 6, 7, 9}, .selections = &store};
  return run_path(random_problem(kShape).build(), path_of(given), options);
}

TEST(PathSelector, ReadsTheSameLayerByDefault) {
  const PathRun run = reading({});
  for (RowIndex query = 0; query < 2; ++query)
    for (RowIndex head = 0; head < 4; ++head)
      EXPECT_EQ(run.rows[query][head].kept, (KeySet{head, 6, static_cast<RowIndex>(10 + query)}));
}

TEST(PathSelector, CountsLayersBackByTheirLabels) {
  EXPECT_EQ(reading({{"select.layers_back", count(1)}}).rows[0][0].kept, (KeySet{0, 5, 10})) << "label 6";
  EXPECT_EQ(reading({{"select.layers_back", count(5)}}).rows[0][0].kept, (KeySet{0, 4, 10})) << "label 2";
}

TEST(PathSelector, IsNotRunWhereTheEarlierLayerIsAbsent) {
  for (const Index back : {2, 3, 4, 6, 100}) {
    const PathRun run = reading({{"select.layers_back", count(back)}, {"window", count(3)}});
    for (const PathRow& row : run.rows[0]) {
      EXPECT_FALSE(row.ran) << back;
      EXPECT_TRUE(row.kept.empty()) << "not even its window";
    }
  }
}

TEST(PathSelector, IsNotRunWhereTheOtherPathMadeNoSelection) {
  SelectionStore store;
  store.reserve("top", 0, 1, 2, 4);  // nothing published, except for head 0 of the last query
  store.at("top", 0, 0, 1, 0) = Published{};
  const Parameters path =
      path_of({{"select.by", text("path")}, {"select.path", text("top")}, {"select.path_cell", count(0)}});
  const PathRun run = run_path(random_problem(kShape).build(), path, {.selections = &store});
  EXPECT_FALSE(run.rows[0][0].ran);
  EXPECT_FALSE(run.rows[1][1].ran);
  EXPECT_TRUE(run.rows[1][0].ran) << "a selection of no key is a selection";
  EXPECT_TRUE(run.rows[1][0].kept.empty());
}

TEST(PathSelector, TakesTheUnionForHeadsThatShare) {
  const PathRun run = reading({{"select.share", text("kv_group")}});
  EXPECT_EQ(run.rows[0][0].kept, (KeySet{0, 1, 6, 10}));
  EXPECT_EQ(run.rows[0][1].kept, (KeySet{0, 1, 6, 10}));
  EXPECT_EQ(run.rows[0][3].kept, (KeySet{2, 3, 6, 10}));
}

TEST(PathSelector, ReadsTheCellThatItIsTold) {
  EXPECT_EQ(reading({{"select.path_cell", count(1)}}).rows[0][0].kept, (KeySet{15}));
}

TEST(PathSelector, AddsItsWindowAndKeepsToItsCandidates) {
  EXPECT_EQ(reading({{"window", count(2)}}).rows[0][1].kept, (KeySet{1, 6, 10, 17, 18}));
  const PathRun outside = reading({{"window", count(9)}, {"select.outside_window", true}});
  EXPECT_EQ(outside.published[0][1], (KeySet{1, 6})) << "key 10 is in the window of the query at 18";
}

TEST(PathSelector, ReadsNoKeyToChoose) {
  const PathRow row = reading({}).rows[0][0];
  EXPECT_EQ(row.keys_scored, 3);
  EXPECT_EQ(row.bytes_read_summary, 0);
  EXPECT_FALSE(SelectorRegistry::instance().at("path").is_oracle);
}

TEST(SelectionStore, KeepsASlotForEachLayerQueryHeadAndCell) {
  SelectionStore store = store_of_layers(3);
  EXPECT_EQ(store.at("top", 0, 2, 1, 3)->selected, (KeySet{3, 6, 11}));
  EXPECT_EQ(store.at("top", 1, 0, 0, 0)->selected, (KeySet{15}));
}

}  // namespace
}  // namespace lacuna
