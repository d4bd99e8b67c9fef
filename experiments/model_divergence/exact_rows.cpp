#include "experiments/model_divergence/exact_rows.hpp"

#include <algorithm>

#include "core/model/dense_attention.hpp"
#include "core/reference/compensated.hpp"
#include "core/reference/exact_row.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

ExactRunRow judge(const AttentionProblem& problem, Index head, Index query, std::span<const double> o) {
  const SeenRows seen = problem.seen(problem.query_position[query]);
  if (seen.count() == 0) return {.status = RowStatus::no_visible_key};
  const Index kv_head = problem.kv_head_of(head);
  const ExactRow ruler =
      exact_row(problem.queries(head), query, problem.seen_keys(kv_head, seen), problem.seen_values(kv_head, seen),
                seen.count(), problem.sm_scale, problem.sink(head), seen.local);
  ExactRunRow row;
  row.output_error = distance(o.data(), ruler.o.data(), static_cast<Index>(o.size()));
  row.output_error_radius = dense_attention_radius(problem, head, query, o) + ruler.error_radius +
                            static_cast<double>(o.size() + 2) * kUnitRoundoff * row.output_error;
  row.status = row.output_error <= row.output_error_radius ? RowStatus::ok : RowStatus::bound_violated;
  return row;
}

}  // namespace

std::vector<std::vector<ExactRunRow>> judge_exact_run(const AttentionProblem& problem, std::span<const double> o,
                                                      std::span<const Index> judged_position, int threads) {
  const auto judged = static_cast<Index>(judged_position.size());
  std::vector<std::vector<ExactRunRow>> rows(problem.h_q(), std::vector<ExactRunRow>(judged));
  parallel_for(problem.h_q() * judged, threads, [&](Index number) {
    check_for_interrupt();
    const Index head = number % problem.h_q(), place = number / problem.h_q();
    const Index query =
        std::ranges::lower_bound(problem.query_position, judged_position[place]) - problem.query_position.begin();
    rows[head][place] =
        judge(problem, head, query, o.subspan((query * problem.h_q() + head) * problem.d_v(), problem.d_v()));
  });
  return rows;
}

}  // namespace lacuna
