#include "core/approx/block_ranker.hpp"

#include "core/approx/share.hpp"

namespace lacuna {

std::vector<double> HeadRanker::rank(GroupQuery& query) {
  std::vector<std::vector<double>> by_head;
  for (const Index head : query.heads) by_head.push_back(rank_head(query.view, head, query.cost[head]));
  const Index blocks = static_cast<Index>(by_head.front().size());
  return shared_scores(by_head, key_range(0, blocks));
}

}  // namespace lacuna
