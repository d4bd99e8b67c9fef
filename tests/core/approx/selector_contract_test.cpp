// What every registered selector kind must keep: the form of its answers, their budget, and what they may not read.
#include <gtest/gtest.h>

#include <thread>

#include "core/approx/selector.hpp"
#include "support/contract_selectors.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kBudget = 6;

class SelectorContract : public EachSelector {};
INSTANTIATE_TEST_SUITE_P(Every, SelectorContract, ::testing::ValuesIn(selector_names()), selector_label);

bool is_set(const KeySet& keys) {
  return std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end();
}
bool is_within(const KeySet& keys, const KeySet& all) {
  return std::includes(all.begin(), all.end(), keys.begin(), keys.end());
}

TEST_P(SelectorContract, AnswersASetAmongTheCandidates) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const SelectionStore store = source_selections(problem, kBudget);
    RunOptions options{.selections = &store};
    const Parameters parameters = path(count(kBudget));
    const auto selector = kind().open(parameters, context_of(problem, options));
    IndexScorer index(parameters, problem);
    Index appended = 0;
    for (Index query = 0; query < shape.s_q; ++query) {
      QueryView view(problem, kernels::plain_backend(), query);
      selector->append(problem, appended, view.visible());
      index.append(appended, view.visible());
      appended = view.visible();
      KeySet odd, one, third;
      for (RowIndex j = 0; j < view.visible(); ++j) {
        if (j % 2 == 1) odd.push_back(j);
        if (j % 3 == 2) third.push_back(j);
      }
      if (view.visible() > 0) one.push_back(static_cast<RowIndex>(view.visible() / 2));
      for (const KeySet& candidates : {key_range(0, view.visible()), odd, third, one, KeySet{}})
        for (Index head = 0; head < shape.h_q; ++head) {
          const std::vector<Index> heads = {head};
          std::vector<HeadCost> cost(shape.h_q);
          GroupQuery group{view, heads, cost, &index};
          const auto answer = selector->answer(group, candidates);
          ASSERT_TRUE(answer.has_value()) << shape.describe();
          EXPECT_TRUE(is_set(*answer)) << shape.describe();
          EXPECT_TRUE(is_within(*answer, candidates)) << shape.describe();
          EXPECT_LE(static_cast<Index>(answer->size()), kBudget + block_size() - 1) << shape.describe();
          if (!is_path()) {
            EXPECT_GE(static_cast<Index>(answer->size()), std::min<Index>(kBudget, candidates.size()))
                << shape.describe();
          }
        }
    }
  }
}

TEST_P(SelectorContract, RespectsTheBudget) {
  for (const ProblemShape& shape : stage_shapes())
    for (const char* share : {"head", "kv_group", "layer"})
      for (const Index k : {1, 2, 7, 20}) {
        const AttentionProblem problem = random_problem(shape).build();
        const PathRun answers = run(problem, path(count(k), {{"select.share", text(share)}}), k);
        for (Index query = 0; query < shape.s_q; ++query)
          for (const PathRow& row : answers.rows[query]) {
            const Index visible = problem.visible_keys(problem.query_position[query]);
            EXPECT_LT(static_cast<Index>(row.kept.size()), k + block_size()) << shape.describe() << " k " << k;
            EXPECT_GE(static_cast<Index>(row.kept.size()), std::min(k, visible)) << shape.describe() << " k " << k;
          }
      }
}

TEST_P(SelectorContract, FullBudgetGivesEverything) {
  for (const ProblemShape& shape : stage_shapes())
    for (const ParameterValue& k : {count(shape.n), count(shape.n + 100), ParameterValue(1.0)}) {
      const AttentionProblem problem = random_problem(shape).build();
      const PathRun answers = run(problem, path(k), shape.n);
      for (Index query = 0; query < shape.s_q; ++query)
        for (const PathRow& row : answers.rows[query]) {
          EXPECT_EQ(row.kept, key_range(0, problem.visible_keys(problem.query_position[query]))) << shape.describe();
          EXPECT_EQ(row.ties_at_cut, 0) << shape.describe();
        }
    }
}

TEST_P(SelectorContract, NeverReadsRowsToCome) {
  for (const ProblemShape& shape : stage_shapes()) {
    RawProblem raw = random_problem(shape);
    for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = (i + 1) * (raw.n - 1) / (raw.s_q + 1);
    const AttentionProblem clean = raw.build();
    RawProblem poisoned = raw;
    RawProblem perturbed = raw;
    for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head)
      for (Index j = raw.query_position.back() + 1; j < raw.n; ++j) {
        poisoned.poison(kv_head, j);
        for (Index c = 0; c < raw.d_qk; ++c) perturbed.key(kv_head, j, c) += 1e6;
      }
    const Parameters parameters =
        path(count(kBudget), {{"pool.blocks", count(4)}, {"pool.block_size", count(3)}, {"window", count(2)}});
    const PathRun expected = run(clean, parameters, kBudget);
    EXPECT_TRUE(same_answers(expected.rows, run(poisoned.build(), parameters, kBudget).rows)) << shape.describe();
    EXPECT_TRUE(same_answers(expected.rows, run(perturbed.build(), parameters, kBudget).rows)) << shape.describe();
    // the same for the rows between two queries, which the first of them may not see
    for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head)
      for (Index j = raw.query_position.front() + 1; j < raw.n; ++j) poisoned.poison(kv_head, j);
    const PathRun first = run(poisoned.build(), parameters, kBudget);
    EXPECT_TRUE(same_answers({expected.rows.front()}, {first.rows.front()})) << shape.describe();
  }
}

TEST_P(SelectorContract, DoesNotDependOnHowRowsWereAppended) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const Parameters parameters = path(count(kBudget));
    const PathRun expected = run(problem, parameters, kBudget);
    for (const Index rows : {1, 3, 4, 5})
      EXPECT_TRUE(same_answers(expected.rows, run(problem, parameters, kBudget, {.rows_at_a_time = rows}).rows))
          << shape.describe() << " rows at a time " << rows;
  }
}

TEST_P(SelectorContract, DoesNotDependOnHowQueriesWereChunked) {
  for (const ProblemShape& shape : stage_shapes())
    for (const char* share : {"head", "layer"}) {
      const AttentionProblem problem = random_problem(shape).build();
      const Parameters parameters = path(count(kBudget), {{"select.share", text(share)}});
      const PathRun whole = run(problem, parameters, kBudget);
      for (Index first = 0; first < shape.s_q; ++first) {
        const PathRun chunk = run(problem, parameters, kBudget, {.first_query = first});
        EXPECT_TRUE(same_answers({whole.rows.begin() + first, whole.rows.end()}, chunk.rows)) << shape.describe();
      }
    }
}

TEST_P(SelectorContract, RepeatsItsBitsFromManyThreads) {
  const ProblemShape shape{.h_q = 4, .h_kv = 2, .s_q = 12, .n = 90, .d_qk = 4, .d_v = 3, .data = Data::tied, .seed = 3};
  const AttentionProblem problem = random_problem(shape).build();
  const Parameters parameters = path(count(kBudget), {{"select.share", text("kv_group")}});
  const PathRun expected = run(problem, parameters, kBudget);
  for (int repeat = 0; repeat < 3; ++repeat)
    EXPECT_TRUE(same_answers(expected.rows, run(problem, parameters, kBudget).rows));
  std::vector<PathRun> answers(12);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < answers.size(); ++i)
      threads.emplace_back(
          [&, i] { answers[i] = run(problem, parameters, kBudget, {.first_query = static_cast<Index>(i)}); });
  }
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_TRUE(same_answers({expected.rows.begin() + static_cast<Index>(i), expected.rows.end()}, answers[i].rows));
}

TEST_P(SelectorContract, HeadsThatShareGetTheSameSet) {
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const PathRun grouped = run(problem, path(count(kBudget), {{"select.share", text("kv_group")}}), kBudget);
    const PathRun layer = run(problem, path(count(kBudget), {{"select.share", text("layer")}}), kBudget);
    for (Index query = 0; query < shape.s_q; ++query)
      for (Index head = 0; head < shape.h_q; ++head) {
        const Index first = head / (shape.h_q / shape.h_kv) * (shape.h_q / shape.h_kv);
        EXPECT_EQ(grouped.rows[query][head].kept, grouped.rows[query][first].kept) << shape.describe();
        EXPECT_EQ(layer.rows[query][head].kept, layer.rows[query][0].kept) << shape.describe();
      }
  }
}

}  // namespace
}  // namespace lacuna
