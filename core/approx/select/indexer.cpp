// indexer: the keys with the highest scores of the layer's own lightning indexer; one selection for all heads.
//
// A layer has one of three modes (DeepSeek-V4.1-Flash, inference/model.py):
//   Full     own indexer, over every visible row
//   Reindex  own indexer, over the rows of a candidate pool that an earlier layer built (pool.from_layer)
//   Reuse    no indexer: the rows that the same path selected in the latest layer that has one, for the same query.
//            Only indices are shared; the layer's own queries weigh them.
// Full and Reindex differ in the candidates alone, which the pool stage gives.
#include "core/approx/budget.hpp"
#include "core/approx/index_scorer.hpp"
#include "core/approx/selection_store.hpp"
#include "core/approx/selector.hpp"

namespace lacuna {
namespace {

class IndexerSelector final : public Selector {
 public:
  IndexerSelector(Budget budget, const StageContext& context)
      : budget_(budget), path_(context.path), cell_(context.path_cell), selections_(context.selections) {
    const std::optional<Index>& from = context.problem->selection_layer;
    if (!from) return;
    const std::vector<Index>& labels = *context.layer_label;
    const auto source = std::find(labels.begin(), labels.end(), *from);
    if (source != labels.end() && selections_->same_rows(source - labels.begin(), context.problem->key_position))
      source_layer_ = source - labels.begin();
  }

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    if (query.index != nullptr) return budget_.take(query.index->scores(query, candidates), candidates, query);
    if (!source_layer_) return std::nullopt;
    KeySet chosen;
    for (const Index head : query.heads) {
      const std::optional<Published>& published =
          selections_->at(path_, cell_, *source_layer_, query.view.query(), head);
      if (!published) return std::nullopt;
      chosen = set_union(chosen, published->selected);
    }
    return set_intersection(chosen, candidates);
  }

 private:
  Budget budget_;
  std::string path_;
  Index cell_;
  const SelectionStore* selections_;
  std::optional<Index> source_layer_;  // index of the layer whose selection is taken over
};

const bool registered = SelectorRegistry::instance().add(
    {.name = "indexer",
     .sentence = "The keys with the highest scores of the layer's lightning indexer; where a layer has none, the "
                 "selection of the layer that it reuses.",
     .needs_indexer = true,
     .parameters = budget_parameters(false),
     .check = [](const Parameters& path) { return check_budget(path, false); },
     .open =
         [](const Parameters& path, const StageContext& context) {
           return std::make_unique<IndexerSelector>(Budget::from(path), context);
         }});

}  // namespace
}  // namespace lacuna
