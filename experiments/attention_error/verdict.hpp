// Judging one answered row, and the verdict on it: what its bounds say and the status that follows. Every experiment
// that runs paths judges them here.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/bounds/bound.hpp"
#include "core/certificates/certificate.hpp"
#include "core/metrics/entry_judgement.hpp"
#include "core/metrics/metric.hpp"
#include "experiments/attention_error/row_table.hpp"

namespace lacuna {

/// `path` gave the answer at a query that sees `seen`; `balls` are those of the KV head. The judgement refers to
/// `traits`, `profile` and `answer`.
inline PathJudgement judge_row(const Path& path, const PathTraits& traits, const ExactProfile& profile,
                               const PathRow& answer, const SeenRows& seen, const std::vector<ValueBalls>& balls) {
  const AttentionProblem& problem = *profile.problem;
  const Index head = profile.head;
  if (traits.other_support)
    return judge_entries(problem, traits, *profile.row, profile.order, answer, path.regions(head), head, profile.query);
  const Index kv_head = problem.kv_head_of(head);
  return judge_path(problem, traits, *profile.row, profile.order, answer, problem.seen_values(kv_head, seen),
                    balls[kv_head], path.stored(head), head, profile.query);
}

struct Verdict {
  double bound = std::numeric_limits<double>::quiet_NaN();  ///< `bound`; NaN where no bound applies
  RowStatus status = RowStatus::ok;
};

/// Calls record(bound) for each of the kinds, in order.
template <class F>
Verdict verdict_of(const PathJudgement& judgement, const std::vector<const BoundKind*>& kinds, F&& record) {
  Verdict verdict;
  double smallest = std::numeric_limits<double>::infinity();
  bool violated = false;
  for (const BoundKind* kind : kinds) {
    const double bound = evaluate(*kind, judgement);
    record(bound);
    violated |= violates(judgement, bound);
    smallest = std::min(smallest, bound);
  }
  if (!kinds.empty()) {
    verdict.bound = composed_bound(judgement, smallest);
    violated |= violates(judgement, verdict.bound);
  }
  if (!judgement.path_attended_what_it_says())
    verdict.status = RowStatus::failed;
  else if (violated)
    verdict.status = RowStatus::bound_violated;
  else if (!(judgement.output_error.value >= judgement.output_error.radius))
    verdict.status = RowStatus::below_error_radius;
  return verdict;
}

/// Calls record(value) for each of the kinds, in order. A false certificate is a violated bound.
template <class F>
RowStatus certify(const PathJudgement& judgement, const ReadRow& read, const std::vector<const CertificateKind*>& kinds,
                  RowStatus status, F&& record) {
  bool violated = false;
  for (const CertificateKind* kind : kinds) {
    const double value = kind->evaluate(read);
    record(value);
    violated |= violates(judgement, kind->claim, value);
  }
  return violated && status != RowStatus::failed ? RowStatus::bound_violated : status;
}

}  // namespace lacuna
