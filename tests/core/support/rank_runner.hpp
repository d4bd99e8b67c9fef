// Asks a block ranker for its ranks outside any path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/approx/block_ranker.hpp"
#include "core/approx/index_scorer.hpp"
#include "kernels/kernels.hpp"
#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"

namespace lacuna::testing_core {

struct Ranks {
  std::vector<double> rank;  // [blocks]
  HeadCost cost;
  Index stored_bytes = 0;
};

/// The ranks of one head at one query. `answer_with`: the problem that is read once the rows were appended.
inline Ranks ranks_of(const std::string& kind, const AttentionProblem& problem, Index block_size, Index head,
                      Index query, Index rows_at_a_time = 0, const AttentionProblem* answer_with = nullptr) {
  const std::unique_ptr<BlockRanker> ranker = BlockRankerRegistry::instance().at(kind).open(block_size, problem);
  QueryView view(answer_with != nullptr ? *answer_with : problem, kernels::plain_backend(), query);
  append_rows(0, view.visible(), rows_at_a_time, [&](Index begin, Index end) { ranker->append(problem, begin, end); });
  Ranks result;
  const std::vector<Index> heads = {head};
  std::vector<HeadCost> cost(problem.h_q());
  IndexScorer index(path_of({}), problem);
  index.append(0, view.visible());
  GroupQuery group{view, heads, cost, &index};
  result.rank = ranker->rank(group);
  result.cost = cost[head];
  result.stored_bytes = ranker->stored_bytes(view.visible());
  return result;
}

}  // namespace lacuna::testing_core
