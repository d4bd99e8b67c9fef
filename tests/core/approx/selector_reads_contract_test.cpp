// What every registered selector kind may read and must charge, how it keeps to a pool, and how it breaks ties.
#include <gtest/gtest.h>

#include "support/checking_backend.hpp"
#include "support/contract_selectors.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kBudget = 6;

class SelectorReadsContract : public EachSelector {};
INSTANTIATE_TEST_SUITE_P(Every, SelectorReadsContract, ::testing::ValuesIn(selector_names()), selector_label);

TEST_P(SelectorReadsContract, ReadsNothingThatItDidNotOpen) {
  // after the summaries were made, every row that no head of a KV head attended turns to NaN: its value always, its
  // key unless the kind is an oracle, which says that it reads every key
  for (const ProblemShape& shape : stage_shapes()) {
    if (shape.shared_kv && kind().is_oracle) continue;  // the key is the value
    const RawProblem raw = random_problem(shape);
    const AttentionProblem clean = raw.build();
    const Parameters parameters = path(count(kBudget), {{"window", count(2)}, {"sink_tokens", count(1)}});
    const PathRun expected = run(clean, parameters, kBudget);
    for (Index query = 0; query < shape.s_q; ++query) {
      RawProblem poisoned = raw;
      for (Index kv_head = 0; kv_head < shape.h_kv; ++kv_head) {
        KeySet opened;
        for (Index head = 0; head < shape.h_q; ++head)
          if (clean.kv_head_of(head) == kv_head) opened = set_union(opened, expected.rows[query][head].kept);
        for (const RowIndex j : set_difference(key_range(0, shape.n), opened)) {
          poisoned.set_value(kv_head, j, std::numeric_limits<double>::quiet_NaN());
          if (!kind().is_oracle) poisoned.poison(kv_head, j);
        }
      }
      const AttentionProblem dirty = poisoned.build();
      const PathRun answers = run(clean, parameters, kBudget, {.first_query = query, .answer_with = &dirty});
      EXPECT_TRUE(same_answers({expected.rows[query]}, {answers.rows.front()})) << shape.describe();
      for (const PathRow& row : answers.rows.front())
        for (const double x : row.o) EXPECT_TRUE(std::isfinite(x)) << shape.describe();
    }
  }
}

TEST_P(SelectorReadsContract, ChargesWhatItsKindSaysItReads) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const PathRun answers = run(problem, path(count(kBudget)), kBudget);
    for (Index query = 0; query < shape.s_q; ++query)
      for (const PathRow& row : answers.rows[query]) {
        const Index visible = problem.visible_keys(problem.query_position[query]);
        EXPECT_EQ(row.keys_scored, kind().is_oracle ? visible : static_cast<Index>(row.kept.size()));
        EXPECT_EQ(row.bytes_read_summary > 0, kind().reads_summaries && visible > 0);
        EXPECT_EQ(row.index_keys_scored, kind().needs_indexer ? visible : 0);
        EXPECT_EQ(row.bytes_read_index > 0, kind().needs_indexer && visible > 0);
        EXPECT_EQ(row.bytes_stored > visible * problem.row_bytes(),
                  (kind().reads_summaries || kind().needs_indexer) && visible > 0);
        EXPECT_GE(row.bytes_read_main, static_cast<Index>(row.kept.size()) * problem.row_bytes());
      }
  }
}

TEST_P(SelectorReadsContract, StaysWithinThePool) {
  for (const ProblemShape& shape : stage_shapes())
    for (const char* rank_by : {"max", "box"})
      for (const char* share : {"head", "kv_group"}) {
        const AttentionProblem problem = random_problem(shape).build();
        const Given pool = {{"pool.blocks", count(3)},
                            {"pool.block_size", count(5)},
                            {"pool.rank_by", text(rank_by)},
                            {"select.share", text(share)}};
        Given with_window = pool;
        with_window["window"] = count(3);
        const PathRun bare = run(problem, path(count(kBudget), pool), kBudget);
        const PathRun both = run(problem, path(count(kBudget), with_window), kBudget);
        for (Index query = 0; query < shape.s_q; ++query)
          for (Index head = 0; head < shape.h_q; ++head) {
            const Index visible = problem.visible_keys(problem.query_position[query]);
            const KeySet& pool_keys = bare.rows[query][head].reachable;
            EXPECT_LE(static_cast<Index>(pool_keys.size()), 15) << shape.describe();
            EXPECT_TRUE(set_difference(bare.rows[query][head].kept, pool_keys).empty()) << shape.describe();
            const KeySet window = key_range(std::max<Index>(visible - 3, 0), visible);
            EXPECT_EQ(both.rows[query][head].reachable, set_union(pool_keys, window)) << shape.describe();
            EXPECT_EQ(both.rows[query][head].kept, set_union(bare.rows[query][head].kept, window)) << shape.describe();
          }
      }
}

TEST_P(SelectorReadsContract, GivesTheKernelsWhatTheirContractAsks) {
  const CheckingBackend backend;
  for (const ProblemShape& shape : stage_shapes())
    for (const char* share : {"head", "layer"})
      for (const Given& more : std::vector<Given>{{},
                                                  {{"pool.blocks", count(3)}, {"pool.block_size", count(5)}},
                                                  {{"window", count(3)}, {"sink_tokens", count(3)}}}) {
        Given given = more;
        given["select.share"] = text(share);
        const AttentionProblem problem = random_problem(shape).build();
        run(problem, path(count(kBudget), given), kBudget, {.backend = &backend});
      }
  EXPECT_EQ(backend.breaches(), std::set<std::string>{});
}

TEST_P(SelectorReadsContract, SpendsItsBudgetOutsideTheWindowWhenAsked) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const PathRun answers =
        run(problem,
            path(count(kBudget), {{"window", count(5)}, {"sink_tokens", count(2)}, {"select.outside_window", true}}),
            kBudget);
    for (Index query = 0; query < shape.s_q; ++query)
      for (Index head = 0; head < shape.h_q; ++head) {
        const Index visible = problem.visible_keys(problem.query_position[query]);
        const KeySet always =
            set_union(key_range(0, std::min<Index>(2, visible)), key_range(std::max<Index>(visible - 5, 0), visible));
        const KeySet& selected = answers.published[query][head];
        EXPECT_EQ(set_difference(selected, always), selected) << shape.describe();
        EXPECT_EQ(answers.rows[query][head].kept, set_union(selected, always)) << shape.describe();
        const Index outside = visible - static_cast<Index>(always.size());
        if (!is_path()) {
          EXPECT_GE(static_cast<Index>(selected.size()), std::min(kBudget, outside)) << shape.describe();
        }
      }
  }
}

TEST_P(SelectorReadsContract, LowestIndexWinsAmongHundredsOfTies) {
  if (!kind().ranks_by_score) GTEST_SKIP() << "it says that it does not rank keys by a score";
  for (const char* share : {"head", "kv_group", "layer"})
    for (const Index n : {400, 397}) {
      RawProblem raw = random_problem({.h_q = 4, .h_kv = 2, .n = n, .d_qk = 4, .d_v = 3, .seed = 21});
      std::fill(raw.q.begin(), raw.q.end(), 0.0);  // every score is 0
      for (Index kv_head = 0; kv_head < 2; ++kv_head)
        for (Index j = 0; j < n; ++j) raw.set_value(kv_head, j, 1.5);  // and every value as long
      const PathRun answers = run(raw.build(), path(count(101), {{"select.share", text(share)}}), 101);
      const Index blocks = (n + 3) / 4;
      for (const PathRow& row : answers.rows[0]) {
        // 101 keys, or the first 26 blocks of 4
        EXPECT_EQ(row.kept, key_range(0, is_by_block() ? 104 : 101));
        EXPECT_EQ(row.ties_at_cut, is_by_block() ? blocks - 26 : n - 101);
      }
    }
}

TEST_P(SelectorReadsContract, ANameAndASentenceStandForIt) {
  EXPECT_FALSE(kind().sentence.empty());
  for (const ParameterSpec& spec : kind().parameters) {
    EXPECT_FALSE(spec.sentence.empty()) << spec.key;
    if (spec.type == ParameterType::integer || spec.type == ParameterType::real) {
      EXPECT_FALSE(spec.unit.empty()) << spec.key;
    }
  }
}

}  // namespace
}  // namespace lacuna
