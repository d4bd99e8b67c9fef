#include "experiments/attention_error/measure.hpp"

#include <cmath>

#include "experiments/attention_error/verdict.hpp"

namespace lacuna {
namespace {

/// What is evaluated on every row of a path, in the order of its table.
struct Judges {
  std::vector<const PathMetricKind*> metrics;
  std::vector<const BoundKind*> bounds;
  std::vector<const CertificateKind*> certificates;

  explicit Judges(const PathPlan& plan)
      : metrics(metrics_of(plan.traits)),
        bounds(bounds_of(plan.traits)),
        certificates(certificates_of(CertifiedPath::of(plan.study->sweep.cells.front()))) {}
};

/// One row of one path with what certifies it.
struct JudgedRow {
  const ExactProfile& profile;
  const PathJudgement& judgement;
  const CertifiedPath& certified;
  const BlockSummaries* summaries;  ///< of the path's block size
};

void record_exact(const LayerTask& task, const ExactProfile& profile, Index row, RowTable& table) {
  const auto& kinds = ExactMetricRegistry::instance().kinds();
  const bool seen = profile.row->visible > 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    // a query that sees no key has a log-sum-exp (-inf), an output (0) and a count (0), and nothing else
    const bool defined = seen || kinds[i].name == "log_sum_exp" || kinds[i].name == "output_norm" ||
                         kinds[i].quantity == Quantity::count;
    if (defined) kinds[i].evaluate(profile, task.exact_coordinates[i], table.at(i, profile.head, row));
  }
}

bool finite(const PathRow& answer, const ExactRow& exact) {
  for (const double x : answer.o)
    if (!std::isfinite(x)) return false;
  return std::isfinite(exact.log_sum_exp) && std::isfinite(exact.o_norm);
}

/// Metrics, bounds, certificates and verdict of one row of one path.
RowStatus record_path(const JudgedRow& judged, const Judges& judges, Index row, RowTable& table) {
  const PathJudgement& judgement = judged.judgement;
  std::size_t column = 0;
  const auto record = [&](double value) { table.at(column++, judged.profile.head, row)[0] = value; };
  for (const PathMetricKind* metric : judges.metrics) record(metric->evaluate(judgement));
  const Verdict verdict = verdict_of(judgement, judges.bounds, record);
  if (!judges.bounds.empty()) record(verdict.bound);
  if (judges.certificates.empty()) return verdict.status;
  const ReadRow read = read_row(judged.profile, judgement, judged.certified, judged.summaries);
  const RowStatus status = certify(judgement, read, judges.certificates, verdict.status, record);
  if (judged.certified.block_size) record(static_cast<double>(read.summary_bytes));
  return status;
}

/// The cached rows among the attended ones; local rows, which every path attends, are not listed.
void record_selected(const KeySet& kept, Index cached, std::span<double> slots) {
  std::fill(slots.begin(), slots.end(), -1.0);
  std::copy_if(kept.begin(), kept.end(), slots.begin(), [&](RowIndex j) { return j < cached; });
}

}  // namespace

std::vector<RowVariable> exact_variables(const std::vector<std::vector<std::int64_t>>& exact_coordinates) {
  std::vector<RowVariable> variables;
  const auto& kinds = ExactMetricRegistry::instance().kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    variables.push_back({kinds[i].name, kinds[i].units, kinds[i].long_name, kinds[i].quantity,
                         kinds[i].dimension ? kinds[i].dimension->name : "",
                         kinds[i].dimension ? static_cast<Index>(exact_coordinates[i].size()) : 1});
  return variables;
}

std::vector<RowVariable> path_variables(const PathPlan& plan, bool record_selected_keys) {
  std::vector<RowVariable> variables;
  for (const PathMetricKind* metric : metrics_of(plan.traits))
    variables.push_back({metric->name, metric->units, metric->long_name, metric->quantity});
  const std::vector<const BoundKind*> bounds = bounds_of(plan.traits);
  for (const BoundKind* kind : bounds)
    variables.push_back({kind->name, "1", "bound on output_error: " + kind->long_name});
  if (!bounds.empty())
    variables.push_back({"bound", "1",
                         "certified bound on output_error given the exact omitted mass: the smallest of the bounds, "
                         "plus the path's arithmetic error and the error radius"});
  const CertifiedPath certified = CertifiedPath::of(plan.study->sweep.cells.front());
  for (const CertificateKind* kind : certificates_of(certified))
    variables.push_back({kind->name, "1", kind->long_name});
  if (certified.block_size)
    variables.push_back({"bytes_read_certificate", "byte",
                         "bytes of block summaries of keys and values that the certificates read for the KV head, "
                         "those that the path itself read among them; repeated on each query head",
                         Quantity::count});
  if (record_selected_keys && !plan.traits.other_support)
    variables.push_back(
        {"selected", "1", "cached rows attended, ascending; -1 fills", Quantity::count, "slot", plan.slots});
  return variables;
}

void measure_queries(const LayerTask& task, Index first, Index begin, Index end, BlockTables& tables,
                     const std::function<void()>& measured) {
  const AttentionProblem& problem = *task.problem;
  const std::vector<PathPlan>& plans = *task.plans;

  // every path with every cell and trial, growing with the cache
  std::vector<std::vector<Path>> paths(plans.size());
  std::vector<Judges> judges;
  std::vector<std::vector<CertifiedPath>> certified(plans.size());
  for (std::size_t p = 0; p < plans.size(); ++p) {
    judges.emplace_back(plans[p]);
    for (Index cell = 0; cell < plans[p].cells(); ++cell) {
      certified[p].push_back(CertifiedPath::of(plans[p].study->sweep.cells[cell]));
      for (Index trial = 0; trial < plans[p].traits.trials; ++trial) {
        StageContext context = task.context;
        context.trial = trial;
        context.input = task.inputs[p][cell];
        context.path = plans[p].study->name;
        context.path_cell = cell;
        paths[p].emplace_back(plans[p].study->sweep.cells[cell], context);
      }
    }
  }

  Index appended = 0;
  std::vector<Published> published(problem.h_q());
  for (Index query = begin; query < end; ++query) {
    QueryView view(problem, *task.backend, query);
    const SeenRows& seen = view.seen();
    const Index row = query - first;

    std::vector<ExactRow> exact;
    std::vector<ExactProfile> profiles;
    exact.reserve(problem.h_q());
    profiles.reserve(problem.h_q());
    for (Index head = 0; head < problem.h_q(); ++head) {
      const Index kv_head = problem.kv_head_of(head);
      exact.push_back(exact_row(problem.queries(head), query, problem.seen_keys(kv_head, seen),
                                problem.seen_values(kv_head, seen), seen.count(), problem.sm_scale, problem.sink(head),
                                seen.local));
      profiles.emplace_back(problem, head, query, exact.back());
      record_exact(task, profiles.back(), row, tables.exact);
    }

    for (std::size_t p = 0; p < plans.size(); ++p) {
      for (std::size_t run = 0; run < paths[p].size(); ++run) {
        paths[p][run].append(problem, appended, view.visible());
        const Index cell = static_cast<Index>(run) / plans[p].traits.trials;
        const bool publish = plans[p].published && static_cast<Index>(run) % plans[p].traits.trials == 0;
        std::fill(published.begin(), published.end(), Published{});
        const std::vector<PathRow> answers = paths[p][run].answer(view, publish ? published.data() : nullptr);
        RowTable& table = tables.paths[p][run];
        for (Index head = 0; head < problem.h_q(); ++head) {
          if (publish && answers[head].ran)
            task.selections->at(plans[p].study->name, cell, task.context.layer, query, head) = published[head];
          const PathRow& answer = answers[head];
          RowStatus& status = table.status(head, row);
          if (table.variables().back().name == "selected")
            record_selected(answer.ran ? answer.kept : KeySet{}, seen.cached,
                            table.at(table.variables().size() - 1, head, row));
          if (!answer.ran) {
            status = RowStatus::not_run;
          } else if (seen.count() == 0) {
            status = RowStatus::no_visible_key;
          } else if (!finite(answer, exact[head])) {
            status = RowStatus::failed;
          } else {
            const PathJudgement judgement =
                judge_row(paths[p][run], plans[p].traits, profiles[head], answer, seen, task.balls);
            const std::optional<Index> size = certified[p][cell].block_size;
            const BlockSummaries* summaries = size ? &task.summaries.at(*size)[problem.kv_head_of(head)] : nullptr;
            status = record_path({profiles[head], judgement, certified[p][cell], summaries}, judges[p], row, table);
          }
        }
      }
    }
    appended = view.visible();
    measured();
  }
}

}  // namespace lacuna
