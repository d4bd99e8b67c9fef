// Selection by a lightning indexer in its three modes, and the candidate pool that an earlier layer builds.
#include <gtest/gtest.h>

#include "core/approx/index_scorer.hpp"
#include "core/format/hadamard.hpp"
#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// One query over keys with the given index scores: one index head of width 1, weight 1, and a key per score, which
/// must not be negative. The main scores are all 0.
AttentionProblem of_index_scores(const std::vector<double>& scores) {
  const Index n = static_cast<Index>(scores.size());
  AttentionProblem problem =
      problem_of_scores(std::vector<double>(n, 0.0), std::vector<std::vector<double>>(n, {1.0})).build();
  problem.index = IndexTensors{
      Tensor(1, 1, 1, std::vector<double>{1}), Tensor(1, 1, 1, std::vector<double>{1}), Tensor(1, n, 1, scores), {}};
  return problem;
}

/// The layers of one path, one after the other, as the harness runs them.
class Layers {
 public:
  Layers(Given given, std::vector<Index> labels) : given_(std::move(given)), labels_(std::move(labels)) {
    store_.reserve("path", 0, static_cast<Index>(labels_.size()), 64, 8);
  }
  void describe(Index layer, const AttentionProblem& problem) { store_.describe_rows(layer, problem.key_position); }
  /// The rows of the heads at the last query of the next layer.
  std::vector<PathRow> run(const AttentionProblem& problem) {
    RunOptions options{.layer = next_, .layer_label = labels_, .selections = &store_};
    StageContext context = context_of(problem, options);
    context.path = "path";
    Path path(path_of(given_), context);
    std::vector<PathRow> rows;
    Index appended = 0;
    for (Index query = 0; query < problem.s_q(); ++query) {
      QueryView view(problem, kernels::plain_backend(), query);
      path.append(problem, appended, view.visible());
      appended = view.visible();
      std::vector<Published> published(problem.h_q());
      rows = path.answer(view, published.data());
      for (Index head = 0; head < problem.h_q(); ++head)
        if (rows[head].ran) store_.at("path", 0, next_, query, head) = published[head];
    }
    ++next_;
    return rows;
  }

 private:
  Given given_;
  std::vector<Index> labels_;
  SelectionStore store_;
  Index next_ = 0;
};

Given by_indexer(Index k, const Given& more = {}) {
  Given given = {{"select.by", text("indexer")}, {"select.k", count(k)}, {"select.share", text("layer")}};
  for (const auto& [key, value] : more) given[key] = value;
  return given;
}
Given pool_of(Index blocks, Index block_size, bool pin, Index from_layer) {
  return {{"pool.blocks", count(blocks)},
          {"pool.block_size", count(block_size)},
          {"pool.pin_newest", pin},
          {"pool.rank_by", text("indexer")},
          {"pool.from_layer", count(from_layer)}};
}

TEST(IndexerSelector, SumsRectifiedHeadsWithSignedWeightsByHand) {
  // two heads of width 2: I = 2 max(q0.k, 0) - 3 max(q1.k, 0)
  AttentionProblem problem = problem_of_scores({0, 0, 0}, {{1}, {1}, {1}}).build();
  problem.index = IndexTensors{Tensor(2, 1, 2, std::vector<double>{1, 0, 0, 1}),
                               Tensor(1, 1, 2, std::vector<double>{2, -3}),
                               Tensor(1, 3, 2, std::vector<double>{4, 1, -5, -5, 1, 2}),
                               {}};
  const PathRow row = last_row(run_path(problem, path_of(by_indexer(2))));
  ASSERT_NE(row.index, nullptr);
  EXPECT_EQ(row.index->s, (std::vector<double>{5, 0, -4}));
  EXPECT_EQ(row.kept, (KeySet{0, 1}));
  EXPECT_EQ(row.index_keys_scored, 3);
  EXPECT_EQ(row.keys_scored, 2) << "main scores of the attended keys only";
  EXPECT_EQ(row.bytes_read_index, 3 * 2 * 4);
}

TEST(IndexerSelector, BreaksExactZerosOfTheRectifierByIndexAndCountsThem) {
  const AttentionProblem problem = of_index_scores({0, 0, 7, 0, 0, 0});
  const PathRow row = last_row(run_path(problem, path_of(by_indexer(3))));
  EXPECT_EQ(row.kept, (KeySet{0, 1, 2}));
  EXPECT_EQ(row.ties_at_cut, 3);
}

/// Keys k = 0, 1, values 0, 1, one query q in a layer that reuses layer 2's selection.
AttentionProblem scalar_layer(double q, bool reuses) {
  RawProblem raw = problem_of({q}, {{0}, {1}}, {{0}, {1}});
  AttentionProblem problem = raw.build();
  if (reuses) {
    problem.index.reset();
    problem.selection_layer = 2;
  }
  return problem;
}

TEST(IndexerSelector, ReuseSharesIndicesAndRecomputesWeights) {
  // memory k = v = {0, 1}: a query q that attends both puts out 1 / (1 + e^-q), whoever selected them
  const auto sigma = [](double q) { return 1 / (1 + std::exp(-q)); };
  Layers layers(by_indexer(2), {2, 3, 4});
  const PathRow full = layers.run(scalar_layer(0.7, false))[0];
  const PathRow reuse = layers.run(scalar_layer(-1.3, true))[0];
  EXPECT_NEAR(full.o[0], sigma(0.7), 1e-15);
  EXPECT_NEAR(reuse.o[0], sigma(-1.3), 1e-15);
  EXPECT_EQ(reuse.kept, full.kept);
  EXPECT_EQ(reuse.index_keys_scored, 0);
  EXPECT_EQ(reuse.index, nullptr);
  EXPECT_EQ(reuse.bytes_read_index, 0);
}

TEST(IndexerSelector, ReuseTakesTheSelectionOfItsSourceEvenWhereItsOwnScoresDiffer) {
  Layers layers(by_indexer(2), {2, 3, 4});
  EXPECT_EQ(layers.run(of_index_scores({5, 1, 4, 0}))[0].kept, (KeySet{0, 2}));
  AttentionProblem reuse = of_index_scores({0, 9, 0, 9});
  reuse.index.reset();
  reuse.selection_layer = 2;
  EXPECT_EQ(layers.run(reuse)[0].kept, (KeySet{0, 2}));
  // a later layer with an indexer of its own chooses anew
  EXPECT_EQ(layers.run(of_index_scores({0, 9, 0, 9}))[0].kept, (KeySet{1, 3}));
}

TEST(IndexerSelector, WithoutIndexerOrSourceHasNoAnswer) {
  AttentionProblem problem = of_index_scores({1, 2, 3});
  problem.index.reset();
  EXPECT_FALSE(last_row(run_path(problem, path_of(by_indexer(2)))).ran);
}

/// Random index scores, with ties in half of the cases.
std::vector<double> random_scores(Random& random, Index n) {
  std::vector<double> scores(n);
  const bool tied = random.chance(0.5);
  for (double& s : scores) s = tied ? static_cast<double>(random.integer(0, 5)) : random.uniform();
  return scores;
}

TEST(IndexerPool, OfTheSameScoresChangesNoSelectionFromAsManyBlocksAsKeys) {
  int differ_at_k_with_pin = 0;
  int cases = 0;
  Random random(11);
  while (cases < 10000) {
    const Index n = random.integer(1, 60);
    const Index r = random.integer(1, 6);
    const Index k = random.integer(1, 8);
    const std::vector<double> scores = random_scores(random, n);
    const KeySet unpooled = last_row(run_path(of_index_scores(scores), path_of(by_indexer(k)))).kept;
    const auto pooled = [&](Index blocks, bool pin) {
      Layers layers(by_indexer(k, pool_of(blocks, r, pin, 20)), {20, 24});
      EXPECT_EQ(layers.run(of_index_scores(scores))[0].kept, unpooled) << "the source's own choice is not restricted";
      return layers.run(of_index_scores(scores))[0].kept;
    };
    const Index more = random.integer(0, 3);
    ASSERT_EQ(pooled(k + more, false), unpooled) << "n " << n << " r " << r << " k " << k;
    ASSERT_EQ(pooled(k + 1 + more, true), unpooled) << "n " << n << " r " << r << " k " << k;
    differ_at_k_with_pin += pooled(k, true) != unpooled ? 1 : 0;
    ++cases;
  }
  EXPECT_GT(differ_at_k_with_pin, 500);
}

TEST(IndexerPool, OfAsManyEntriesAsAreVisibleIsTheUnpooledPathToTheBit) {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    const Index r = random.integer(1, 6);
    const Index blocks = random.integer(1, 10);
    const Index n = random.integer(1, blocks * r);
    const Index k = random.integer(1, n);
    const AttentionProblem source = of_index_scores(random_scores(random, n));
    const AttentionProblem later = of_index_scores(random_scores(random, n));
    Layers with(by_indexer(k, pool_of(blocks, r, random.chance(0.5), 20)), {20, 24});
    Layers without(by_indexer(k), {20, 24});
    with.run(source);
    without.run(source);
    const PathRow a = with.run(later)[0];
    const PathRow b = without.run(later)[0];
    EXPECT_TRUE(same_row(a, b));
    EXPECT_EQ(a.index_keys_scored, n);
  }
}

TEST(IndexerPool, RestrictsLaterIndexersAndTheLayersThatReuseThem) {
  // blocks of two; the source ranks block 1 first and pins the newest, block 3
  Layers layers(by_indexer(2, pool_of(2, 2, true, 20)), {8, 20, 21, 24, 25});
  const AttentionProblem early = of_index_scores({9, 9, 0, 0, 0, 0, 0, 0});
  const PathRow before = layers.run(early)[0];
  EXPECT_EQ(before.kept, (KeySet{0, 1})) << "layers before the source know no pool";
  EXPECT_EQ(before.reachable, key_range(0, 8));
  EXPECT_EQ(layers.run(of_index_scores({3, 0, 8, 0, 4, 0, 0, 0}))[0].kept, (KeySet{2, 4}));
  AttentionProblem reuse = of_index_scores(std::vector<double>(8, 1.0));
  reuse.index.reset();
  reuse.selection_layer = 20;
  const PathRow of_source = layers.run(reuse)[0];
  EXPECT_EQ(of_source.kept, (KeySet{2, 4}));
  EXPECT_EQ(of_source.reachable, key_range(0, 8)) << "what it reuses was chosen without the pool";
  constexpr double never_read = std::numeric_limits<double>::quiet_NaN();  // index keys outside the pool
  const AttentionProblem reindex = of_index_scores({never_read, never_read, 1, 2, never_read, never_read, 3, 0});
  const PathRow pooled = layers.run(reindex)[0];
  EXPECT_EQ(pooled.reachable, (KeySet{2, 3, 6, 7}));
  EXPECT_EQ(pooled.kept, (KeySet{3, 6}));
  EXPECT_EQ(pooled.index_keys_scored, 4);
  reuse.selection_layer = 24;
  const PathRow of_pooled = layers.run(reuse)[0];
  EXPECT_EQ(of_pooled.kept, (KeySet{3, 6}));
  EXPECT_EQ(of_pooled.reachable, (KeySet{2, 3, 6, 7}));
}

TEST(IndexerPool, ScoresAsManyPositionsAsTheFormulaSays) {
  // B = 2048 blocks of 8, k = 512, n = 131072, four later indexers: n + 4 min(n, B r), against 5 n without the pool
  constexpr Index n = 131072;
  Random random(5);
  const AttentionProblem problem = of_index_scores(random_scores(random, n));
  const auto scored = [&](const Given& more) {
    Layers layers(by_indexer(512, more), {20, 24, 28, 32, 36});
    Index sum = 0;
    for (int layer = 0; layer < 5; ++layer) {
      const PathRow row = layers.run(problem)[0];
      EXPECT_EQ(row.kept.size(), 512U);
      sum += row.index_keys_scored;
    }
    return sum;
  };
  EXPECT_EQ(scored(pool_of(2048, 8, true, 20)), n + 4 * 16384);
  EXPECT_EQ(scored({}), 5 * n);
}

TEST(IndexerPool, WithoutASourceLayerHoldsForTheLayersThatReuseASelection) {
  Given given = by_indexer(2, pool_of(2, 2, false, 20));
  given.erase("pool.from_layer");
  Layers layers(given, {20, 21});
  const PathRow full = layers.run(of_index_scores({3, 0, 8, 0, 4, 0, 9, 0}))[0];
  EXPECT_EQ(full.reachable, (KeySet{2, 3, 6, 7}));
  EXPECT_EQ(full.kept, (KeySet{2, 6}));
  AttentionProblem reuse = of_index_scores(std::vector<double>(8, 1.0));
  reuse.index.reset();
  reuse.selection_layer = 20;
  const PathRow reused = layers.run(reuse)[0];
  EXPECT_EQ(reused.reachable, full.reachable);
  EXPECT_EQ(reused.kept, full.kept);
}

TEST(IndexerPool, OfALayerThatHasNoIndexerDoesNotRunInTheLayersThatWouldReadIt) {
  Layers layers(by_indexer(2, pool_of(2, 2, true, 21)), {20, 21, 24});
  EXPECT_TRUE(layers.run(of_index_scores({1, 2, 3, 4}))[0].ran);
  AttentionProblem reuse = of_index_scores({1, 2, 3, 4});
  reuse.index.reset();
  reuse.selection_layer = 20;
  EXPECT_EQ(layers.run(reuse)[0].kept, (KeySet{2, 3})) << "it takes over layer 20's selection, and builds no pool";
  EXPECT_FALSE(layers.run(of_index_scores({1, 2, 3, 4}))[0].ran);
}

TEST(IndexerPool, OfOtherRowsRestrictsNothingAndSelectsNothing) {
  const std::vector<double> scores = {9, 1, 2, 3, 4, 5, 6, 7};
  AttentionProblem other = of_index_scores(scores);
  for (Index j = 0; j < 8; ++j) other.key_position[j] = 2 * j + 1;  // rows of two tokens
  other.query_position = {15};
  Layers layers(by_indexer(2, pool_of(1, 2, false, 2)), {2, 20});
  layers.describe(0, other);
  layers.run(other);
  const PathRow row = layers.run(of_index_scores(scores))[0];
  EXPECT_EQ(row.reachable, key_range(0, 8)) << "another cache's row numbers mean nothing here";
  EXPECT_EQ(row.kept, (KeySet{0, 7}));
  Layers reusing(by_indexer(2), {2, 20});
  reusing.describe(0, other);
  reusing.run(other);
  AttentionProblem reuse = of_index_scores(scores);
  reuse.index.reset();
  reuse.selection_layer = 2;
  EXPECT_FALSE(reusing.run(reuse)[0].ran);
}

TEST(IndexerSelector, ChargesEveryHeadWithAllThatTheIndexerScored) {
  // each head has a pool of its own, by its main scores; the index scores serve all heads
  RawProblem raw = random_problem({.h_q = 4, .n = 40, .d_qk = 4, .seed = 31});
  const PathRun run = run_path(raw.build(), path_of({{"select.by", text("indexer")},
                                                     {"select.k", count(3)},
                                                     {"pool.blocks", count(2)},
                                                     {"pool.block_size", count(4)}}));
  KeySet scored;
  for (const PathRow& row : run.rows[0]) scored = set_union(scored, row.reachable);
  EXPECT_GT(scored.size(), 8U);
  for (const PathRow& row : run.rows[0]) {
    EXPECT_EQ(row.index_keys_scored, static_cast<Index>(scored.size()));
    EXPECT_EQ(row.index->scored, scored);
  }
}

TEST(IndexerPoolFaults, APathWhoseSourceLayerCannotGiveAPoolIsRefused) {
  Given random = {{"select.by", text("random")},
                  {"select.k", count(2)},
                  {"select.trials", count(2)},
                  {"pool.blocks", count(2)},
                  {"pool.from_layer", count(0)}};
  EXPECT_EQ(check_path(path_of(random)).size(), 1U);
  Given limited = by_indexer(2, pool_of(2, 2, true, 20));
  limited["layers"] = std::vector<std::int64_t>{24, 25};
  ASSERT_EQ(check_path(path_of(limited)).size(), 1U);
  EXPECT_NE(check_path(path_of(limited)).front().message.find("20"), std::string::npos);
  limited["layers"] = std::vector<std::int64_t>{20, 24};
  EXPECT_TRUE(check_path(path_of(limited)).empty());
}

TEST(IndexerPool, NeedsThePoolOfEveryHeadThatShares) {
  // a path whose source layer did not run has no pool to give
  Layers layers(by_indexer(2, pool_of(2, 2, true, 20)), {20, 24});
  AttentionProblem source = of_index_scores({1, 2, 3, 4});
  source.index.reset();  // no indexer, and nothing to reuse
  EXPECT_FALSE(layers.run(source)[0].ran);
  EXPECT_FALSE(layers.run(of_index_scores({1, 2, 3, 4}))[0].ran);
}

TEST(IndexScorer, StoresQueriesAndKeysInTheFormatBehindTheRotation) {
  RawProblem raw = random_problem({.h_q = 3, .n = 20, .d_qk = 64, .seed = 6});
  const AttentionProblem problem = raw.build();
  const FormatKind& format = FormatRegistry::instance().at("fp4_ue8m0_32");
  // independently: rotate, encode, decode, and take the dot products in the rotated channels
  const auto through = [&](const Rows& rows, Index j) {
    std::vector<double> x(64);
    for (Index c = 0; c < 64; ++c) x[c] = rows.at(j, c);
    hadamard(x);
    const RowShape shape{.width = 64};
    std::vector<std::byte> stored(format.group_bytes(shape));
    Index saturated = 0, flushed = 0;
    std::vector<double> amax(format.codec->blocks(shape));
    format.encode(shape, x.data(), stored.data(), {&saturated, &flushed, amax.data()});
    format.codec->decode(shape, stored.data(), x.data());
    return x;
  };
  const PathRow row = last_row(
      run_path(problem, path_of(by_indexer(4, {{"index_store", text("fp4_ue8m0_32")}, {"index_rotate", count(64)}}))));
  for (Index j = 0; j < 20; ++j) {
    const std::vector<double> key = through(problem.index->k[0], j);
    double expected = 0;
    for (Index head = 0; head < 3; ++head) {
      const std::vector<double> query = through(problem.index->q[head], 0);
      double dot = 0;
      for (Index c = 0; c < 64; ++c) dot += query[c] * key[c];
      expected += problem.index->weight[0].at(0, head) * std::max(dot, 0.0);
    }
    EXPECT_NEAR(row.index->s[j], expected, 1e-12 * 64 * 36);
  }
  EXPECT_EQ(row.bytes_read_index, 20 * (32 + 2));
}

TEST(IndexScorer, ReadsTheSlotWhereItsOwnKeysWereNotRenewed) {
  // rows of two tokens: the query at 5 completes row 2, the query at 6 completes none
  for (const Index position : {5, 6}) {
    AttentionProblem problem = of_index_scores({1, 5, 2});
    problem.key_position = {1, 3, 5};
    problem.query_position = {position};
    problem.index->slot_k = Tensor(1, 3, 1, std::vector<double>{8, 0, 9});
    const PathRow intended = last_row(run_path(problem, path_of(by_indexer(1))));
    const PathRow defect = last_row(run_path(problem, path_of(by_indexer(1, {{"index_slot_defect", true}}))));
    EXPECT_EQ(intended.kept, (KeySet{1}));
    EXPECT_EQ(defect.kept, position == 5 ? (KeySet{1}) : (KeySet{2}));
  }
}

TEST(IndexScorerFaults, WhatDoesNotSuitTheSourceIsNamed) {
  const auto fault = [](const Given& more, Index d_index, bool slot) {
    return IndexScorer::check(path_of(by_indexer(1, more)), d_index, slot);
  };
  EXPECT_FALSE(fault({{"index_store", text("fp4_ue8m0_32")}}, 128, false).has_value());
  EXPECT_EQ(fault({{"index_store", text("fp4_ue8m0_32")}}, 20, false)->key, "index_store");
  EXPECT_EQ(fault({{"index_rotate", count(64)}}, 96, false)->key, "index_rotate");
  EXPECT_EQ(fault({{"index_slot_defect", true}}, 128, false)->key, "index_slot_defect");
  EXPECT_FALSE(fault({{"index_slot_defect", true}}, 128, true).has_value());
  EXPECT_EQ(check_path(path_of({{"index_rotate", count(64)}})).size(), 1U) << "no stage uses an indexer";
  EXPECT_EQ(check_path(path_of(by_indexer(1, {{"index_rotate", count(48)}}))).size(), 1U);
}

}  // namespace
}  // namespace lacuna
