// indexer: the largest index score in the block; every head of the layer agrees, since the indexer has one score per
// row. The candidate pool of the hierarchical sparse indexer (DeepSeek-V4.1-Flash, inference/model.py). Only a layer
// with an indexer of its own opens it.
#include "core/approx/block_ranker.hpp"
#include "core/approx/index_scorer.hpp"

namespace lacuna {
namespace {

class IndexerRanker final : public BlockRanker {
 public:
  explicit IndexerRanker(Index block_size) : block_size_(block_size) {}

  std::vector<double> rank(GroupQuery& query) override {
    LACUNA_ASSERT(query.index != nullptr);
    const Index visible = query.view.visible();
    const std::vector<double>& s = query.index->scores(query, key_range(0, visible));
    std::vector<double> result(block_count(visible, block_size_));
    query.view.backend().block_max({s.data(), result.data(), visible, block_size_});
    return result;
  }

 private:
  Index block_size_;
};

const bool registered = BlockRankerRegistry::instance().add(
    {.name = "indexer",
     .sentence = "Largest score of the layer's lightning indexer in the block.",
     .needs_indexer = true,
     .open = [](Index block_size, const LayerView&) { return std::make_unique<IndexerRanker>(block_size); }});

}  // namespace
}  // namespace lacuna
