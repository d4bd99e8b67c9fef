// mean: the score of a block's mean key, q . mean_j k_j, which is the mean of its scores.
// Lu et al., "MoBA: mixture of block attention for long-context LLMs", 2025, section 2.2; Yuan et al., "Native sparse
// attention", 2025, section 3.3.1 (there the pooling is learned).
#include "core/approx/block/block_selector.hpp"
#include "core/approx/block/block_summaries.hpp"

namespace lacuna {
namespace {

class MeanRanker final : public SummaryRanker {
 public:
  MeanRanker(Index block_size, const LayerView& layer) : SummaryRanker(block_size, layer, layer.d_qk()) {}

 private:
  void summarize(const BlockKeys& keys, double* summary) const override {
    for (std::size_t c = 0; c < keys.front().size(); ++c) {
      double sum = 0;
      for (const auto& key : keys) sum += key[c];
      summary[c] = sum / static_cast<double>(keys.size());
    }
  }
  double score(const std::vector<double>& q, const double* summary) const override {
    double dot = 0;
    for (std::size_t c = 0; c < q.size(); ++c) dot += q[c] * summary[c];
    return dot;
  }
};

const BlockRankerKind kind{
    .name = "mean",
    .sentence = "Score of the block's mean key (MoBA).",
    .reads_summaries = true,
    .open = [](Index block_size, const LayerView& layer) { return std::make_unique<MeanRanker>(block_size, layer); }};
const bool ranker_registered = BlockRankerRegistry::instance().add(kind);
const bool selector_registered = SelectorRegistry::instance().add(block_selector_kind("block_mean", kind));

}  // namespace
}  // namespace lacuna
