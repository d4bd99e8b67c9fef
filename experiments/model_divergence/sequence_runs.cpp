#include "experiments/model_divergence/sequence_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/metrics/model/hidden_error.hpp"
#include "core/reference/compensated.hpp"
#include "experiments/attention_error/path_inputs.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

HiddenErrors hidden_errors(const LayerPass& exact, const LayerPass& run, Index first) {
  HiddenErrors errors;
  for (Index t = first; t < exact.tokens(); ++t) {
    const HiddenError error = hidden_error(exact.hidden(t), run.hidden(t));
    errors.norm.push_back(error.norm);
    errors.relative.push_back(error.relative);
    errors.cosine.push_back(error.cosine);
  }
  return errors;
}

/// Loss of `next` and entropy, in nat, of the softmax of z.
struct TokenFacts {
  double loss = std::numeric_limits<double>::quiet_NaN();
  double entropy = 0;
};

TokenFacts token_facts(std::span<const double> z, std::optional<Index> next) {
  const double top = *std::ranges::max_element(z);
  CompensatedSum sum, weighted;
  for (const double x : z) {
    sum.add(std::exp(x - top));
    weighted.add(std::exp(x - top) * (x - top));
  }
  TokenFacts facts;
  facts.entropy = std::log(sum.value()) - weighted.value() / sum.value();
  if (next) facts.loss = token_loss(z, *next);
  return facts;
}

/// One run of a path's cell and trial.
struct RunState {
  Index path = 0;
  Index cell = 0;
  Index trial = 0;
  Index leading = 0;  ///< among the results' source cells x cells x trials
  LayerPass pass;
};

class SequenceRuns {
 public:
  SequenceRuns(const DivergenceTask& task, Index sequence)
      : task_(task),
        sequence_(sequence),
        tokens_(task.source->tokens(sequence)),
        exact_path_(exact_path()),
        exact_(task.source->decoder(), tokens_, in_parallel()) {
    const SourceShape& shape = task.source->shape();
    for (std::size_t p = 0; p < task.plans->size(); ++p) {
      const PathPlan& plan = (*task.plans)[p];
      selections_.resize(std::max(selections_.size(), static_cast<std::size_t>(plan.traits.trials)));
      for (Index run = 0; run < plan.runs(); ++run) {
        const Index cell = run / plan.traits.trials;
        const Index trial = run % plan.traits.trials;
        runs_.push_back({.path = static_cast<Index>(p),
                         .cell = cell,
                         .trial = trial,
                         .leading = task.source_cell * plan.runs() + run,
                         .pass = LayerPass(task.source->decoder(), tokens_, in_parallel())});
        if (plan.published)
          selections_[trial].reserve(plan.study->name, cell, static_cast<Index>(shape.layer.size()), exact_.tokens(),
                                     static_cast<Index>(shape.head.size()));
      }
    }
  }

  void go_through_the_layers() {
    Index layer = 0;  // among those that attend
    while (!exact_.done()) {
      if (!exact_.attends()) {
        go_through_retention();
        continue;
      }
      const std::vector<double> o_exact = attend_exactly(layer);
      for (RunState& run : runs_) attend(layer, run, o_exact);
      exact_.advance(o_exact);
      for (const RunState& run : runs_) record_hidden(run);
      record_exact_hidden();
      ++layer;
    }
  }

  void compare_next_tokens() {
    const Index first = task_.compare_from, compared = exact_.tokens() - first;
    std::vector<TokenFacts> facts(compared);
    std::vector<std::vector<double>> logits(compared);
    in_parallel()(compared, [&](Index i) {
      logits[i] = task_.source->decoder().logits(exact_.hidden(first + i));
      facts[i] = token_facts(logits[i], next_of(first + i));
    });
    std::vector<double> loss, entropy;
    for (const TokenFacts& token : facts) {
      loss.push_back(token.loss);
      entropy.push_back(token.entropy);
    }
    task_.recording->exact_tokens(task_.source_cell, sequence_, loss, entropy);

    for (const RunState& run : runs_) {
      check_for_interrupt();
      std::vector<NextTokenError> errors(compared);
      in_parallel()(compared, [&](Index i) {
        errors[i] =
            next_token_error(logits[i], task_.source->decoder().logits(run.pass.hidden(first + i)), next_of(first + i));
      });
      task_.recording->tokens(run.path, run.leading, sequence_, errors);
    }
  }

 private:
  EachIndex in_parallel() const {
    return [threads = task_.threads](Index count, const std::function<void(Index)>& work) {
      parallel_for(count, threads, work);
    };
  }

  std::optional<Index> next_of(Index t) const {
    return t + 1 < exact_.tokens() ? std::optional(tokens_[t + 1]) : std::nullopt;
  }

  StageContext context_of(Index layer, const AttentionProblem& problem, Index trial) const {
    const SourceShape& shape = task_.source->shape();
    StageContext context;
    context.seed = task_.seed;
    context.sequences = static_cast<Index>(shape.sequence.size());
    context.sequence = sequence_;
    context.layer = layer;
    context.trial = trial;
    context.problem = &problem;
    context.layer_label = &shape.layer;
    context.head_label = &shape.head;
    context.selections = selections_.empty() ? nullptr : &selections_[trial];
    return context;
  }

  /// o of the exact run, and what the paths' stages read from outside.
  std::vector<double> attend_exactly(Index layer) {
    const AttentionProblem problem = exact_.problem();
    for (SelectionStore& selections : selections_) selections.describe_rows(layer, problem.key_position);
    RunLayer exact{.problem = &problem,
                   .path = &exact_path_,
                   .context = context_of(layer, problem, 0),
                   .publish = nullptr,
                   .backend = task_.backend,
                   .threads = task_.threads};
    exact.context.path = "exact run";
    inputs_ = load_inputs(*task_.plans, exact.context);
    std::vector<double> o = attend_run(exact, nullptr);
    record_exact_judged(judge_exact_run(problem, o, task_.source->shape().query_position, task_.threads));
    task_.measured();
    return o;
  }

  void attend(Index layer, RunState& run, std::span<const double> o_exact) {
    const PathPlan& plan = (*task_.plans)[run.path];
    const AttentionProblem problem = run.pass.problem();
    RunLayer of_run{.problem = &problem,
                    .path = &plan.study->sweep.cells[run.cell],
                    .context = context_of(layer, problem, run.trial),
                    .publish = plan.published ? &selections_[run.trial] : nullptr,
                    .backend = task_.backend,
                    .threads = task_.threads};
    of_run.context.path = plan.study->name;
    of_run.context.path_cell = run.cell;
    of_run.context.input = inputs_[run.path][run.cell];
    Judging judging{.position = task_.source->shape().query_position, .o_exact = o_exact, .rows = {}};
    const std::vector<double> o = attend_run(of_run, &judging);
    record_judged(run, judging.rows);
    run.pass.advance(o);
    task_.measured();
  }

  void go_through_retention() {
    const SourceShape& shape = task_.source->shape();
    const std::vector<std::vector<JudgedRow>> none(shape.head.size(),
                                                   std::vector<JudgedRow>(shape.query_position.size()));
    for (RunState& run : runs_) {
      check_for_interrupt();
      record_judged(run, none);
      run.pass.advance({});
      task_.measured();
    }
    record_exact_judged(std::vector<std::vector<ExactRunRow>>(shape.head.size(),
                                                              std::vector<ExactRunRow>(shape.query_position.size())));
    exact_.advance({});
    for (const RunState& run : runs_) record_hidden(run);
    record_exact_hidden();
    task_.measured();
  }

  void record_judged(const RunState& run, const std::vector<std::vector<JudgedRow>>& rows) {
    task_.recording->judged(run.path, run.leading, sequence_, run.pass.place(), rows);
  }

  void record_exact_judged(const std::vector<std::vector<ExactRunRow>>& rows) {
    task_.recording->exact_judged(task_.source_cell, sequence_, exact_.place(), rows);
  }

  /// Behind the layer that all runs have just gone through.
  void record_hidden(const RunState& run) {
    task_.recording->hidden(run.path, run.leading, sequence_, exact_.place() - 1,
                            hidden_errors(exact_, run.pass, task_.compare_from));
  }

  void record_exact_hidden() {
    std::vector<double> norms;
    for (Index t = 0; t < exact_.tokens(); ++t) {
      const double norm = hidden_norm(exact_.hidden(t));
      if (t >= task_.compare_from) norms.push_back(norm);
      if (!std::isfinite(norm))
        throw InputError(fmt::format("the exact run overflows behind layer {} at token {}: its weights are too large",
                                     task_.source->decoder().model().layers[exact_.place() - 1].label, t));
    }
    task_.recording->exact_hidden(task_.source_cell, sequence_, exact_.place() - 1, norms);
  }

  const DivergenceTask& task_;
  Index sequence_;
  std::vector<Index> tokens_;  // [n]
  Parameters exact_path_;
  LayerPass exact_;
  std::vector<RunState> runs_;
  std::vector<SelectionStore> selections_;                              // [trial]
  std::vector<std::vector<std::shared_ptr<const StageInput>>> inputs_;  // [path][cell], of the current layer
};

}  // namespace

void run_sequence(const DivergenceTask& task, Index sequence) {
  SequenceRuns runs(task, sequence);
  runs.go_through_the_layers();
  runs.compare_next_tokens();
}

}  // namespace lacuna
