// main: the keys with the highest main scores. An oracle: it reads every key to find them, and no selection of the
// same size omits less mass.
#include "core/approx/budget.hpp"
#include "core/approx/selector.hpp"

namespace lacuna {
namespace {

class MainSelector final : public Selector {
 public:
  explicit MainSelector(Budget budget) : budget_(budget) {}

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    return budget_.take(query.scores(candidates), candidates, query);
  }

 private:
  Budget budget_;
};

const bool registered = SelectorRegistry::instance().add(
    {.name = "main",
     .sentence = "The keys with the highest main scores (an oracle: it reads every key).",
     .is_oracle = true,
     .parameters = budget_parameters(true),
     .check = [](const Parameters& path) { return check_budget(path, true); },
     .open = [](const Parameters& path,
                const StageContext&) { return std::make_unique<MainSelector>(Budget::from(path)); }});

}  // namespace
}  // namespace lacuna
