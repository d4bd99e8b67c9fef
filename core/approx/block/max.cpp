// max: the largest main score in the block. Reads every key: an oracle, as in the hierarchical indexer whose source
// layer scores the whole prefix (DeepSeek-V4.1-Flash, inference/model.py).
#include "core/approx/block_ranker.hpp"

namespace lacuna {
namespace {

class MaxRanker final : public HeadRanker {
 public:
  explicit MaxRanker(Index block_size) : block_size_(block_size) {}

 private:
  std::vector<double> rank_head(QueryView& query, Index head, HeadCost& cost) override {
    const auto s = query.scores(head, cost);
    std::vector<double> result(block_count(query.visible(), block_size_));
    query.backend().block_max({s.data(), result.data(), query.visible(), block_size_});
    return result;
  }

  Index block_size_;
};

const bool registered = BlockRankerRegistry::instance().add(
    {.name = "max",
     .sentence = "Largest main score in the block; reads every key.",
     .is_oracle = true,
     .open = [](Index block_size, const LayerView&) { return std::make_unique<MaxRanker>(block_size); }});

}  // namespace
}  // namespace lacuna
