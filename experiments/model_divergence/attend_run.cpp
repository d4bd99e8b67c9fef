#include "experiments/model_divergence/attend_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/approx/path_parameters.hpp"
#include "core/model/dense_attention.hpp"
#include "experiments/attention_error/verdict.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/workers.hpp"
#include "experiments/model_divergence/whole_layer.hpp"

namespace lacuna {
namespace {

bool chooses(std::string_view key) { return key.starts_with("select.") || key.starts_with("pool."); }

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

/// A path and how much of the cache it has been given.
struct GrowingPath {
  Path path;
  Index appended = 0;

  std::vector<PathRow> answer(QueryView& view, Published* publish) {
    path.append(view.layer(), appended, view.visible());
    appended = view.visible();
    return path.answer(view, publish);
  }
};

/// One answered row, by the path whose answer it is.
struct Answered {
  const Path* path = nullptr;
  PathTraits traits;
  PathRow* row = nullptr;
};

JudgedRow judge(const AttentionProblem& problem, const std::vector<ValueBalls>& balls, const SeenRows& seen,
                Index query, Index head, const Answered& answered) {
  const Index kv_head = problem.kv_head_of(head);
  const ExactRow exact =
      exact_row(problem.queries(head), query, problem.seen_keys(kv_head, seen), problem.seen_values(kv_head, seen),
                seen.count(), problem.sm_scale, problem.sink(head), seen.local);
  const ExactProfile profile(problem, head, query, exact);
  JudgedRow judged;
  if (seen.count() == 0) {
    judged.status = RowStatus::no_visible_key;
    return judged;
  }
  const PathTraits& traits = answered.traits;
  const PathJudgement judgement = judge_row(*answered.path, traits, profile, *answered.row, seen, balls);
  judged.output_error = judgement.output_error.value;
  if (!traits.other_support) judged.omitted_mass = judgement.delta;
  const std::vector<const BoundKind*> bounds = bounds_of(traits);
  const Verdict verdict = verdict_of(judgement, bounds, [](double) {});
  if (!bounds.empty()) judged.bound = verdict.bound;
  judged.status = verdict.status;
  return judged;
}

/// The queries of one chunk, in ascending order.
class Chunk {
 public:
  Chunk(const RunLayer& layer, const std::vector<ValueBalls>& balls, Judging* judging, WholeLayer& whole)
      : layer_(layer),
        problem_(*layer.problem),
        balls_(balls),
        judging_(judging),
        whole_(whole),
        has_all_(whole.has_all()),
        dense_(without_choice(*layer.path)) {}

  void answer(Index query) {
    if (has_all_ && layer_.publish == nullptr && !judged_place(problem_.query_position[query])) {
      for (Index head = 0; head < problem_.h_q(); ++head) check_finite(query, head);
      return;
    }
    QueryView view(problem_, *layer_.backend, query);
    std::vector<Published> published(problem_.h_q());
    if (!path_) path_.emplace(GrowingPath{Path(*layer_.path, layer_.context)});
    std::vector<PathRow> chosen = path_->answer(view, layer_.publish != nullptr ? published.data() : nullptr);
    std::vector<PathRow> every;
    for (Index head = 0; head < problem_.h_q(); ++head) {
      Answered answered{&path_->path, PathTraits::of(*layer_.path), &chosen[head]};
      if (!chosen[head].ran) {
        if (every.empty()) every = answer_without_choice(view);
        answered = {&every_path_->path, PathTraits::of(dense_), &every[head]};
      } else if (layer_.publish != nullptr) {
        layer_.publish->at(layer_.context.path, layer_.context.path_cell, layer_.context.layer, query, head) =
            published[head];
      }
      if (whole_.has[head]) std::ranges::copy(output(query, head), answered.row->o.begin());
      take(view, head, answered);
    }
  }

 private:
  std::size_t first_channel(Index query, Index head) const {
    return static_cast<std::size_t>((query * problem_.h_q() + head) * problem_.d_v());
  }
  std::span<double> output(Index query, Index head) const {
    return std::span(whole_.o).subspan(first_channel(query, head), static_cast<std::size_t>(problem_.d_v()));
  }

  /// Place among the judged positions.
  std::optional<Index> judged_place(Index position) const {
    if (judging_ == nullptr) return std::nullopt;
    const auto place = std::ranges::lower_bound(judging_->position, position);
    if (place == judging_->position.end() || *place != position) return std::nullopt;
    return place - judging_->position.begin();
  }

  void check_finite(Index query, Index head) const {
    if (!std::ranges::all_of(output(query, head), [](double c) { return std::isfinite(c); }))
      throw InputError(fmt::format("path \"{}\": layer {}, head {}, position {} gives a number that is not finite",
                                   layer_.context.path, (*layer_.context.layer_label)[layer_.context.layer], head,
                                   problem_.query_position[query]));
  }

  std::vector<PathRow> answer_without_choice(QueryView& view) {
    if (!every_path_) every_path_.emplace(GrowingPath{Path(dense_, layer_.context)});
    std::vector<PathRow> every = every_path_->answer(view, nullptr);
    if (!attends_everything(dense_, (*layer_.context.layer_label)[layer_.context.layer])) return every;
    const std::vector<double> o = dense_attention(problem_, view.query());
    for (Index head = 0; head < problem_.h_q(); ++head)
      std::copy_n(o.begin() + head * problem_.d_v(), problem_.d_v(), every[head].o.begin());
    return every;
  }

  void take(const QueryView& view, Index head, const Answered& answered) {
    const Index query = view.query();
    const std::span<double> o = output(query, head);
    std::ranges::copy(answered.row->o, o.begin());
    check_finite(query, head);
    const std::optional<Index> place = judged_place(view.position());
    if (!place) return;
    JudgedRow& judged = judging_->rows[head][*place];
    judged = judge(problem_, balls_, view.seen(), query, head, answered);
    judged.output_error_accumulated =
        distance(o, judging_->o_exact.subspan(first_channel(query, head), static_cast<std::size_t>(problem_.d_v())));
  }

  const RunLayer& layer_;
  const AttentionProblem& problem_;
  const std::vector<ValueBalls>& balls_;
  Judging* judging_;
  WholeLayer& whole_;  // of a query and head of which it has no output, its `o` is written
  bool has_all_;
  Parameters dense_;
  std::optional<GrowingPath> path_;
  std::optional<GrowingPath> every_path_;  // once the path had no answer
};

}  // namespace

Parameters without_choice(const Parameters& path) {
  Parameters dense;
  for (const auto& [key, value] : path.values())
    if (!chooses(key)) dense.set(key, value);
  dense.set("window", std::int64_t{0});
  dense.set("sink_tokens", std::int64_t{0});
  return dense;
}

Parameters exact_path() {
  Parameters path;
  for (const ParameterSpec& spec : path_parameters())
    if (!chooses(spec.key) && spec.default_value) path.set(spec.key, *spec.default_value);
  return path;
}

std::vector<double> attend_run(const RunLayer& layer, Judging* judging) {
  const AttentionProblem& problem = *layer.problem;
  std::vector<ValueBalls> balls(problem.h_kv());
  if (judging != nullptr) {
    judging->rows.assign(problem.h_q(), std::vector<JudgedRow>(judging->position.size()));
    parallel_for(problem.h_kv(), layer.threads,
                 [&](Index kv_head) { balls[kv_head] = ValueBalls(problem.values(kv_head)); });
  }
  WholeLayer whole = attend_whole_layer(layer);
  const Index chunks = std::min<Index>(problem.s_q(), 4 * layer.threads);
  parallel_for(chunks, layer.threads, [&](Index number) {
    Chunk chunk(layer, balls, judging, whole);
    for (Index query = number * problem.s_q() / chunks; query < (number + 1) * problem.s_q() / chunks; ++query) {
      check_for_interrupt();
      chunk.answer(query);
    }
  });
  return std::move(whole.o);
}

}  // namespace lacuna
