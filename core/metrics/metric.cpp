#include "core/metrics/metric.hpp"

#include <numeric>

namespace lacuna {

std::vector<const PathMetricKind*> metrics_of(const PathTraits& traits) {
  std::vector<const PathMetricKind*> result;
  for (const PathMetricKind& kind : PathMetricRegistry::instance().kinds())
    if ((kind.any_support || !traits.other_support) && (kind.applies == nullptr || kind.applies(traits)))
      result.push_back(&kind);
  return result;
}

ExactProfile::ExactProfile(const AttentionProblem& attention_problem, Index head_index, Index query_index,
                           const ExactRow& exact)
    : problem(&attention_problem), head(head_index), query(query_index), row(&exact), order(exact.s.size()) {
  std::iota(order.begin(), order.end(), RowIndex{0});
  std::sort(order.begin(), order.end(),
            [&](RowIndex a, RowIndex b) { return exact.s[a] != exact.s[b] ? exact.s[a] > exact.s[b] : a < b; });
}

}  // namespace lacuna
