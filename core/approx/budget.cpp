#include "core/approx/budget.hpp"

#include <cmath>
#include <limits>

namespace lacuna {

Index fraction_of(double fraction, Index visible) {
  const double product = fraction * static_cast<double>(visible);
  return static_cast<Index>(std::ceil(product - product * 0x1p-50));  // 7 % of 100 is 7, not 7.000000000000001
}

Budget Budget::from(const Parameters& path) {
  Budget budget;
  if (path.has("select.mass")) {
    budget.kind_ = Kind::mass;
    budget.share_ = path.real("select.mass");
  } else if (const auto* fraction = std::get_if<double>(&path.at("select.k"))) {
    budget.kind_ = Kind::fraction;
    budget.share_ = *fraction;
  } else {
    budget.count_ = path.integer("select.k");
  }
  return budget;
}

Budget Budget::of_keys(Index count) {
  Budget budget;
  budget.count_ = count;
  return budget;
}

Index Budget::keys(Index visible) const {
  LACUNA_ASSERT(kind_ != Kind::mass);
  return kind_ == Kind::count ? count_ : fraction_of(share_, visible);
}

KeySet Budget::take(std::span<const double> scores, const KeySet& candidates, GroupQuery& query) const {
  const Index n = static_cast<Index>(candidates.size());
  std::vector<double> s(candidates.size());
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = scores[candidates[i]];

  const Index wanted = kind_ == Kind::mass ? n : std::min(keys(query.view.visible()), n);
  KeySet chosen(static_cast<std::size_t>(wanted));
  const kernels::TopKResult result = query.view.backend().top_k({s.data(), chosen.data(), n, wanted});
  chosen.resize(static_cast<std::size_t>(result.chosen));
  Index ties = result.ties_at_cut;

  if (kind_ == Kind::mass && !chosen.empty()) {
    const double top = s[chosen.front()];
    double total = 0;
    for (auto i = chosen.rbegin(); i != chosen.rend(); ++i) total += std::exp(s[*i] - top);
    double held = 0;
    std::size_t size = 0;
    while (size < chosen.size() && held < share_ * total) held += std::exp(s[chosen[size++]] - top);
    size = std::max<std::size_t>(size, 1);
    const double last = s[chosen[size - 1]];
    for (std::size_t i = size; i < chosen.size() && s[chosen[i]] == last; ++i) ++ties;
    chosen.resize(size);
  }

  for (RowIndex& key : chosen) key = candidates[key];
  std::sort(chosen.begin(), chosen.end());
  for (const Index head : query.heads) query.cost[head].ties_at_cut += ties;
  return chosen;
}

std::vector<ParameterSpec> budget_parameters(bool with_mass) {
  std::vector<ParameterSpec> specs = {
      {.key = "k",
       .type = ParameterType::count_or_fraction,
       .unit = "keys",
       .required = !with_mass,
       .sentence = "Keys to select: a count (64), or a fraction of the visible keys (0.05)."}};
  if (with_mass)
    specs.push_back(
        {.key = "mass",
         .type = ParameterType::real,
         .unit = "1",
         .minimum = 0,
         .maximum = 1,
         .sentence = "Instead of k: select the smallest set that holds this share of the softmax (top-p)."});
  return specs;
}

std::vector<ParameterFault> check_budget(const Parameters& path, bool with_mass) {
  const bool k = path.has("select.k");
  const bool mass = path.has("select.mass");
  if (with_mass && k && mass) return {{"select.mass", "'k' and 'mass' exclude each other"}};
  if (with_mass && !k && !mass) return {{"select.k", "a budget is missing: give 'k' or 'mass'"}};
  return {};
}

}  // namespace lacuna
