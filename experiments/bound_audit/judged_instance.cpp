#include "experiments/bound_audit/judged_instance.hpp"

#include "core/approx/union_softmax.hpp"

namespace lacuna {
namespace {

ExactRow exact_row_of(const AttentionProblem& problem) {
  return exact_row(problem.queries(0), 0, problem.keys(0), problem.values(0), problem.s_kv(), problem.sm_scale,
                   problem.sink(0));
}

}  // namespace

JudgedInstance::JudgedInstance(const AuditInstance& instance)
    : instance_(instance),
      problem_(instance.problem()),
      exact_(exact_row_of(problem_)),
      profile_(problem_, 0, 0, exact_),
      balls_(problem_.values(0)) {
  traits_.selects = true;
  if (!instance.format.empty()) {
    traits_.stores = true;
    stored_ = std::make_unique<StoredCache>(stored_path(instance.format), problem_);
    stored_->append(problem_, 0, problem_.s_kv());
  }
  answer_ = answer();
  judgement_.emplace(
      judge_path(problem_, traits_, exact_, profile_.order, answer_, problem_.values(0), balls_, stored_.get(), 0, 0));
}

PathRow JudgedInstance::answer() const {
  const AttentionProblem& layer = stored_ ? stored_->layer() : problem_;
  PathRow row;
  row.kept = instance_.kept_keys();
  row.reachable = key_range(0, instance_.keys);
  const QueryView query(layer, kernels::plain_backend(), 0);
  std::vector<double> s(instance_.keys);
  query.score_listed(0, row.kept, s);
  UnionSoftmax softmax(query.backend(), layer.d_v(), row.o);
  softmax.add(layer.values(0), 0, s, row.kept);
  row.log_sum_exp = softmax.normalize(layer.sink(0));
  return row;
}

ReadRow JudgedInstance::read() const {
  const BlockSummaries summaries(problem_.keys(0), problem_.values(0), instance_.block_size);
  return read_row(profile_, *judgement_,
                  {.block_size = instance_.block_size, .scores_candidates = false, .takes_best_scores = true},
                  &summaries);
}

}  // namespace lacuna
