#include "core/metrics/metric.hpp"

#include <numeric>

namespace lacuna {

ExactProfile::ExactProfile(const AttentionProblem& attention_problem, Index head_index, Index query_index,
                           const ExactRow& exact)
    : problem(&attention_problem), head(head_index), query(query_index), row(&exact), order(exact.s.size()) {
  std::iota(order.begin(), order.end(), RowIndex{0});
  std::sort(order.begin(), order.end(),
            [&](RowIndex a, RowIndex b) { return exact.s[a] != exact.s[b] ? exact.s[a] > exact.s[b] : a < b; });
}

}  // namespace lacuna
