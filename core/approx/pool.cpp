#include "core/approx/pool.hpp"

#include <limits>

namespace lacuna {

Pool::Pool(const Parameters& path, const LayerView& layer)
    : blocks_(path.integer("pool.blocks")),
      block_size_(path.integer("pool.block_size")),
      pin_newest_(path.boolean("pool.pin_newest")),
      ranker_(BlockRankerRegistry::instance().at(path.text("pool.rank_by")).open(block_size_, layer)) {}

KeySet Pool::candidates(GroupQuery& query) {
  const Index visible = query.view.visible();
  std::vector<double> rank = ranker_->rank(query);
  if (rank.empty()) return {};
  if (pin_newest_) rank.back() = std::numeric_limits<double>::max();  // a score may be -inf, never +inf

  const Index blocks = static_cast<Index>(rank.size());
  KeySet kept(static_cast<std::size_t>(std::min(blocks_, blocks)));
  const kernels::TopKResult result =
      query.view.backend().top_k({rank.data(), kept.data(), blocks, static_cast<Index>(kept.size())});
  kept.resize(static_cast<std::size_t>(result.chosen));
  for (const Index head : query.heads) query.cost[head].ties_at_cut += result.ties_at_cut;
  std::sort(kept.begin(), kept.end());

  KeySet keys;
  for (const RowIndex block : kept)
    for (Index j = block * block_size_; j < std::min((block + 1) * block_size_, visible); ++j)
      keys.push_back(static_cast<RowIndex>(j));
  return keys;
}

}  // namespace lacuna
