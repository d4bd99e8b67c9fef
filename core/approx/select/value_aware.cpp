// value_aware: the keys with the largest p_j ||v_j||, ranked by s_j + log ||v_j||. An oracle that knows the value
// norms too: a key with a large weight and a value near 0 (an attention sink, often) moves the output little.
// Guo et al., "Attention score is not all you need for token importance indicator in KV cache reduction", 2024.
#include <cmath>

#include "core/approx/budget.hpp"
#include "core/approx/selector.hpp"

namespace lacuna {
namespace {

constexpr double kLast = -1e300;  // of a zero value: behind every other key, and still a candidate

class ValueAwareSelector final : public Selector {
 public:
  ValueAwareSelector(Budget budget, const LayerView& layer)
      : budget_(budget), norm_bytes_(layer.stored_element_bytes), log_norm_(layer.h_kv()) {}

  void append(const LayerView& layer, Index begin, Index end) override {
    for (Index kv_head = 0; kv_head < layer.h_kv(); ++kv_head) {
      log_norm_[kv_head].resize(end);
      layer.values(kv_head).visit([&](const auto& v) {
        for (Index j = begin; j < end; ++j) {
          double square = 0;
          for (Index c = 0; c < v.width; ++c)
            square += static_cast<double>(v.row(j)[c]) * static_cast<double>(v.row(j)[c]);
          log_norm_[kv_head][j] = square > 0 ? std::log(square) / 2 : kLast;
        }
      });
    }
  }

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    std::vector<double> score = query.scores(candidates);
    std::vector<double> mean_log_norm(score.size(), 0.0);
    for (const Index head : query.heads) {
      const auto& log_norm = log_norm_[query.view.layer().kv_head_of(head)];
      for (const RowIndex j : candidates) mean_log_norm[j] += log_norm[j] / static_cast<double>(query.heads.size());
      query.cost[head].summary_bytes += query.view.visible() * norm_bytes_;
    }
    for (const RowIndex j : candidates) score[j] += mean_log_norm[j];
    return budget_.take(score, candidates, query);
  }

  Index stored_bytes(Index keys) const override { return keys * norm_bytes_; }

 private:
  Budget budget_;
  Index norm_bytes_;
  std::vector<std::vector<double>> log_norm_;  // [h_kv][keys]
};

const bool registered = SelectorRegistry::instance().add(
    {.name = "value_aware",
     .sentence = "The keys with the largest weight times value norm (an oracle: it reads every key).",
     .is_oracle = true,
     .reads_summaries = true,
     .parameters = budget_parameters(true),
     .check = [](const Parameters& path) { return check_budget(path, true); },
     .open =
         [](const Parameters& path, const StageContext& context) {
           return std::make_unique<ValueAwareSelector>(Budget::from(path), *context.problem);
         }});

}  // namespace
}  // namespace lacuna
