#include "core/approx/block/block_selector.hpp"

#include <numeric>

#include "core/approx/budget.hpp"

namespace lacuna {
namespace {

class BlockSelector final : public Selector {
 public:
  BlockSelector(Budget budget, Index block_size, std::unique_ptr<BlockRanker> ranker)
      : budget_(budget), block_size_(block_size), ranker_(std::move(ranker)) {}

  void append(const LayerView& layer, Index begin, Index end) override { ranker_->append(layer, begin, end); }

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    const std::vector<double> score = ranker_->rank(query);
    std::vector<Index> order(score.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return score[a] != score[b] ? score[a] > score[b] : a < b; });

    const Index wanted = budget_.keys(query.view.visible());
    KeySet chosen;
    std::size_t opened = 0;
    for (; opened < order.size() && static_cast<Index>(chosen.size()) < wanted; ++opened) {
      const auto first = std::lower_bound(candidates.begin(), candidates.end(), order[opened] * block_size_);
      const auto last = std::lower_bound(first, candidates.end(), (order[opened] + 1) * block_size_);
      chosen.insert(chosen.end(), first, last);
    }
    Index ties = 0;
    if (opened > 0)
      for (std::size_t i = opened; i < order.size() && score[order[i]] == score[order[opened - 1]]; ++i) ++ties;
    for (const Index head : query.heads) query.cost[head].ties_at_cut += ties;
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  Index stored_bytes(Index keys) const override { return ranker_->stored_bytes(keys); }

 private:
  Budget budget_;
  Index block_size_;
  std::unique_ptr<BlockRanker> ranker_;
};

}  // namespace

SelectorKind block_selector_kind(const std::string& name, const BlockRankerKind& ranker) {
  std::vector<ParameterSpec> parameters = budget_parameters(false);
  parameters.push_back({.key = "block_size",
                        .type = ParameterType::integer,
                        .unit = "keys",
                        .minimum = 1,
                        .maximum = 2147483647,
                        .default_value = std::int64_t{16},
                        .sentence = "Keys per block whose summary is ranked."});
  return {.name = name,
          .sentence = "Opens blocks in the order of: " + ranker.sentence,
          .is_oracle = ranker.is_oracle,
          .reads_summaries = ranker.reads_summaries,
          .parameters = std::move(parameters),
          .check = [](const Parameters& path) { return check_budget(path, false); },
          .open =
              [open = ranker.open](const Parameters& path, const StageContext& context) {
                const Index block_size = path.integer("select.block_size");
                return std::make_unique<BlockSelector>(Budget::from(path), block_size,
                                                       open(block_size, *context.problem));
              }};
}

}  // namespace lacuna
