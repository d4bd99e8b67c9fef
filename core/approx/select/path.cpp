// path: the selection that another path made, in this layer or `layers_back` layers earlier (as the Reuse layers of
// DeepSeek-V4.1-Flash read the latest published top-k). Heads that share take the union of the heads' selections.
// Layers count by their labels; where the earlier layer is not among those of the source, or numbers other rows (it
// compresses by another ratio), the row is not run.
#include "core/approx/selection_store.hpp"
#include "core/approx/selector.hpp"

namespace lacuna {
namespace {

class PathSelector final : public Selector {
 public:
  PathSelector(const Parameters& path, const StageContext& context)
      : path_(path.text("select.path")), cell_(path.integer("select.path_cell")), selections_(*context.selections) {
    const std::vector<Index>& labels = *context.layer_label;
    const auto source =
        std::find(labels.begin(), labels.end(), labels[context.layer] - path.integer("select.layers_back"));
    if (source != labels.end() && selections_.same_rows(source - labels.begin(), context.problem->key_position))
      layer_ = source - labels.begin();
  }

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    if (layer_ < 0) return std::nullopt;
    KeySet chosen;
    for (const Index head : query.heads) {
      const std::optional<Published>& published = selections_.at(path_, cell_, layer_, query.view.query(), head);
      if (!published) return std::nullopt;
      chosen = set_union(chosen, published->selected);
    }
    return set_intersection(chosen, candidates);
  }

 private:
  std::string path_;
  Index cell_;
  const SelectionStore& selections_;
  Index layer_ = -1;  // index of the layer that is read, -1: none
};

const bool registered = SelectorRegistry::instance().add(
    {.name = "path",
     .sentence = "The selection of another path, declared above, in this layer or an earlier one.",
     .ranks_by_score = false,
     .parameters = {{.key = "path",
                     .type = ParameterType::text,
                     .required = true,
                     .sweepable = false,
                     .sentence = "Name of the path whose selection is read."},
                    {.key = "layers_back",
                     .type = ParameterType::integer,
                     .unit = "layers",
                     .minimum = 0,
                     .maximum = 100000,
                     .default_value = std::int64_t{0},
                     .sentence = "How many of the model's layers earlier; 0 is the same layer."}},
     .open = [](const Parameters& path, const StageContext& context) {
       return std::make_unique<PathSelector>(path, context);
     }});

}  // namespace
}  // namespace lacuna
