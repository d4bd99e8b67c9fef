// box: the axis-aligned box of a block's keys bounds every score in it from above,
//   q . k_j <= sum_c max(q_c min_c, q_c max_c)   for all j in the block.
// Tang et al., "Quest: query-aware sparsity for efficient long-context LLM inference", ICML 2024, section 3.2.
#include "core/approx/block/block_selector.hpp"
#include "core/approx/block/block_summaries.hpp"

namespace lacuna {
namespace {

class BoxRanker final : public SummaryRanker {
 public:
  BoxRanker(Index block_size, const LayerView& layer) : SummaryRanker(block_size, layer, 2 * layer.d_qk()) {}

 private:
  void summarize(const BlockKeys& keys, double* summary) const override {
    const std::size_t d = keys.front().size();
    for (std::size_t c = 0; c < d; ++c) {
      summary[c] = summary[d + c] = keys.front()[c];
      for (const auto& key : keys) {
        summary[c] = std::min(summary[c], key[c]);
        summary[d + c] = std::max(summary[d + c], key[c]);
      }
    }
  }
  double score(const std::vector<double>& q, const double* summary) const override {
    double sum = 0;
    for (std::size_t c = 0; c < q.size(); ++c) sum += std::max(q[c] * summary[c], q[c] * summary[q.size() + c]);
    return sum;
  }
};

const BlockRankerKind kind{
    .name = "box",
    .sentence = "Upper bound of the block's scores from the box of its keys (Quest).",
    .reads_summaries = true,
    .open = [](Index block_size, const LayerView& layer) { return std::make_unique<BoxRanker>(block_size, layer); }};
const bool ranker_registered = BlockRankerRegistry::instance().add(kind);
const bool selector_registered = SelectorRegistry::instance().add(block_selector_kind("box", kind));

}  // namespace
}  // namespace lacuna
