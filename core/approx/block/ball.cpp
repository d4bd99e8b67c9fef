// ball: a ball around the mean of a block's keys bounds every score in it from above (Cauchy-Schwarz),
//   q . k_j <= q . c + ||q|| r ,   c = mean of the keys, r = max_j ||k_j - c|| .
#include <cmath>

#include "core/approx/block/block_selector.hpp"
#include "core/approx/block/block_summaries.hpp"

namespace lacuna {
namespace {

class BallRanker final : public SummaryRanker {
 public:
  BallRanker(Index block_size, const LayerView& layer) : SummaryRanker(block_size, layer, layer.d_qk() + 1) {}

 private:
  void summarize(const BlockKeys& keys, double* summary) const override {
    const std::size_t d = keys.front().size();
    for (std::size_t c = 0; c < d; ++c) {
      double sum = 0;
      for (const auto& key : keys) sum += key[c];
      summary[c] = sum / static_cast<double>(keys.size());
    }
    double& radius = summary[d];
    radius = 0;
    for (const auto& key : keys) {
      double square = 0;
      for (std::size_t c = 0; c < d; ++c) square += (key[c] - summary[c]) * (key[c] - summary[c]);
      radius = std::max(radius, std::sqrt(square));
    }
  }
  double score(const std::vector<double>& q, const double* summary) const override {
    double dot = 0;
    double square = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
      dot += q[c] * summary[c];
      square += q[c] * q[c];
    }
    return dot + std::sqrt(square) * summary[q.size()];
  }
};

const BlockRankerKind kind{
    .name = "ball",
    .sentence = "Upper bound of the block's scores from the ball of its keys around their mean.",
    .reads_summaries = true,
    .open = [](Index block_size, const LayerView& layer) { return std::make_unique<BallRanker>(block_size, layer); }};
const bool ranker_registered = BlockRankerRegistry::instance().add(kind);
const bool selector_registered = SelectorRegistry::instance().add(block_selector_kind("ball", kind));

}  // namespace
}  // namespace lacuna
