// random: k keys drawn uniformly without replacement, in several independent trials. The control: what any budget of
// this size reaches without looking. A draw gives every key a random priority and takes the highest, so the sets of a
// trial nest as k grows.
#include "core/approx/budget.hpp"
#include "core/approx/selector.hpp"
#include "core/base/rng.hpp"

namespace lacuna {
namespace {

class RandomSelector final : public Selector {
 public:
  RandomSelector(Budget budget, const StageContext& context) : budget_(budget), context_(context) {}

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    // one stream per trial, sequence, layer, query and first head of the group
    const CounterRng place(context_.seed, "select.random.place", static_cast<std::uint64_t>(context_.trial));
    const auto w = place.words(static_cast<std::uint64_t>((context_.sequence << 32) + context_.layer));
    const CounterRng rng((static_cast<std::uint64_t>(w[0]) << 32) + w[1], "select.random",
                         static_cast<std::uint64_t>((query.view.query() << 24) + query.heads.front()));
    std::vector<double> priority(query.view.visible());
    for (const RowIndex j : candidates) priority[j] = rng.uniform(static_cast<std::uint64_t>(j));
    return budget_.take(priority, candidates, query);
  }

 private:
  Budget budget_;
  StageContext context_;
};

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = budget_parameters(false);
  specs.push_back({.key = "trials",
                   .type = ParameterType::integer,
                   .unit = "1",
                   .minimum = 1,
                   .maximum = 1000000,
                   .default_value = std::int64_t{5},
                   .sweepable = false,
                   .sentence = "Independent draws; they become the dimension `trial`."});
  return specs;
}

const bool registered =
    SelectorRegistry::instance().add({.name = "random",
                                      .sentence = "Keys drawn at random: the control.",
                                      .ranks_by_score = false,
                                      .is_random = true,
                                      .parameters = parameters(),
                                      .check = [](const Parameters& path) { return check_budget(path, false); },
                                      .open =
                                          [](const Parameters& path, const StageContext& context) {
                                            return std::make_unique<RandomSelector>(Budget::from(path), context);
                                          }});

}  // namespace
}  // namespace lacuna
