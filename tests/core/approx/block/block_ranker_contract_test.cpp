// What every registered block ranker must keep.
#include <gtest/gtest.h>

#include "support/random_shapes.hpp"
#include "support/rank_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

std::vector<std::string> ranker_names() {
  std::vector<std::string> names;
  for (const BlockRankerKind& kind : BlockRankerRegistry::instance().kinds()) names.push_back(kind.name);
  return names;
}

class BlockRankerContract : public ::testing::TestWithParam<std::string> {
 protected:
  const BlockRankerKind& kind() const { return BlockRankerRegistry::instance().at(GetParam()); }

  /// f(shape, raw, block size, head, query) over all of them.
  template <class F>
  void for_each_row(F&& f) const {
    for (const ProblemShape& shape : stage_shapes()) {
      RawProblem raw = random_problem(shape);
      for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = i * (raw.n - 1) / raw.s_q;
      for (const Index block_size : {1, 4, 7, 200})
        for (Index head = 0; head < raw.h_q; ++head)
          for (Index query = 0; query < raw.s_q; ++query) f(shape, raw, block_size, head, query);
    }
  }
};

std::string ranker_label(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Every, BlockRankerContract, ::testing::ValuesIn(ranker_names()), ranker_label);

TEST_P(BlockRankerContract, RanksEachVisibleBlockOnce) {
  for_each_row([&](const ProblemShape& shape, const RawProblem& raw, Index block_size, Index head, Index query) {
    const Ranks ranks = ranks_of(GetParam(), raw.build(), block_size, head, query);
    const Index visible = raw.query_position[query] + 1;
    EXPECT_EQ(static_cast<Index>(ranks.rank.size()), (visible - 1) / block_size + 1) << shape.describe();
    for (const double rank : ranks.rank) EXPECT_TRUE(std::isfinite(rank)) << shape.describe();
  });
}

TEST_P(BlockRankerContract, NeverReadsRowsToCome) {
  for_each_row([&](const ProblemShape& shape, const RawProblem& raw, Index block_size, Index head, Index query) {
    RawProblem poisoned = raw;
    for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head)
      for (Index j = raw.query_position[query] + 1; j < raw.n; ++j) poisoned.poison(kv_head, j);
    EXPECT_EQ(ranks_of(GetParam(), raw.build(), block_size, head, query).rank,
              ranks_of(GetParam(), poisoned.build(), block_size, head, query).rank)
        << shape.describe();
  });
}

TEST_P(BlockRankerContract, DoesNotDependOnHowRowsWereAppended) {
  for_each_row([&](const ProblemShape& shape, const RawProblem& raw, Index block_size, Index head, Index query) {
    const Ranks at_once = ranks_of(GetParam(), raw.build(), block_size, head, query);
    for (const Index rows : {1, 3, 5})
      EXPECT_EQ(at_once.rank, ranks_of(GetParam(), raw.build(), block_size, head, query, rows).rank)
          << shape.describe() << " rows at a time " << rows;
  });
}

TEST_P(BlockRankerContract, ReadsNoKeyAfterItsSummariesWereMadeUnlessItSaysSo) {
  if (kind().is_oracle) GTEST_SKIP() << "an oracle reads every key";
  for_each_row([&](const ProblemShape& shape, const RawProblem& raw, Index block_size, Index head, Index query) {
    RawProblem poisoned = raw;
    for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head)
      for (Index j = 0; j < raw.n; ++j) poisoned.poison(kv_head, j);
    const AttentionProblem clean = raw.build();
    const AttentionProblem dirty = poisoned.build();
    EXPECT_EQ(ranks_of(GetParam(), clean, block_size, head, query).rank,
              ranks_of(GetParam(), clean, block_size, head, query, 0, &dirty).rank)
        << shape.describe();
  });
}

TEST_P(BlockRankerContract, ChargesWhatItReads) {
  for_each_row([&](const ProblemShape& shape, const RawProblem& raw, Index block_size, Index head, Index query) {
    const Ranks ranks = ranks_of(GetParam(), raw.build(), block_size, head, query);
    EXPECT_EQ(ranks.cost.scored_every_key, kind().is_oracle) << shape.describe();
    EXPECT_EQ(ranks.cost.summary_bytes > 0, kind().reads_summaries) << shape.describe();
    EXPECT_EQ(ranks.cost.summary_bytes, ranks.stored_bytes) << "every summary is read once\n" << shape.describe();
  });
}

TEST_P(BlockRankerContract, RepeatsItsBits) {
  for_each_row([&](const ProblemShape& shape, const RawProblem& raw, Index block_size, Index head, Index query) {
    EXPECT_EQ(ranks_of(GetParam(), raw.build(), block_size, head, query).rank,
              ranks_of(GetParam(), raw.build(), block_size, head, query).rank)
        << shape.describe();
  });
}

TEST_P(BlockRankerContract, GivesEqualBlocksTheSameRank) {
  // four times the same three keys: the rank of a block depends on its keys alone
  const RawProblem raw = problem_of(
      {1.0, 0.3},
      {{1, 2}, {0.7, -1}, {3, 0}, {1, 2}, {0.7, -1}, {3, 0}, {1, 2}, {0.7, -1}, {3, 0}, {1, 2}, {0.7, -1}, {3, 0}},
      std::vector<std::vector<double>>(12, {1}));
  const Ranks ranks = ranks_of(GetParam(), raw.build(), 3, 0, 0);
  EXPECT_EQ(ranks.rank, std::vector<double>(4, ranks.rank.front()));
}

}  // namespace
}  // namespace lacuna
