// Runs an approximate path over a problem as the harness does: rows are appended as they become visible, queries are
// answered in order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/approx/path.hpp"
#include "core/approx/path_parameters.hpp"
#include "core/approx/selection_store.hpp"
#include "kernels/kernels.hpp"

namespace lacuna::testing_core {

using Given = std::map<std::string, ParameterValue>;

inline ParameterValue count(Index x) { return std::int64_t{x}; }
inline ParameterValue text(const char* x) { return std::string(x); }

/// The parameters of one path: the given ones and the defaults of the tables that it has.
inline Parameters path_of(const Given& given) {
  Parameters parameters;
  const auto set_default = [&](const std::string& key, const ParameterSpec& spec) {
    if (spec.default_value) parameters.set(key, *spec.default_value);
  };
  for (const ParameterSpec& spec : path_parameters()) {
    if (spec.key.starts_with("select.") && given.count("select.by") == 0) continue;
    if (spec.key.starts_with("pool.") && given.count("pool.blocks") == 0) continue;
    set_default(spec.key, spec);
  }
  if (given.count("select.by") > 0)
    for (const ParameterSpec& spec :
         SelectorRegistry::instance().at(std::get<std::string>(given.at("select.by"))).parameters)
      set_default("select." + spec.key, spec);
  for (const auto& [key, value] : given) parameters.set(key, value);
  return parameters;
}

/// Where a path of a test stands.
struct RunOptions {
  std::uint64_t seed = 7;
  Index sequence = 0;
  Index layer = 0;
  Index trial = 0;
  std::vector<Index> layer_label = {0};
  std::vector<Index> head_label = {};  ///< empty: 0, 1, 2, ...
  const SelectionStore* selections = nullptr;
  Index rows_at_a_time = 0;                       ///< how rows are appended; 0: as many as there are
  Index first_query = 0;                          ///< queries before it are not asked
  const AttentionProblem* answer_with = nullptr;  ///< the problem that the answers read, when not the one appended
  const kernels::Backend* backend = &kernels::plain_backend();
};

struct PathRun {
  std::vector<std::vector<PathRow>> rows;      // [queries asked][h_q]
  std::vector<std::vector<KeySet>> published;  // [queries asked][h_q]
};

inline StageContext context_of(const AttentionProblem& problem, RunOptions& options) {
  if (options.head_label.empty())
    for (Index head = 0; head < problem.h_q(); ++head) options.head_label.push_back(head);
  StageContext context;
  context.seed = options.seed;
  context.sequence = options.sequence;
  context.layer = options.layer;
  context.trial = options.trial;
  context.problem = &problem;
  context.layer_label = &options.layer_label;
  context.head_label = &options.head_label;
  context.selections = options.selections;
  return context;
}

/// Calls append(begin, end) for rows [begin, end), a few at a time.
template <class F>
void append_rows(Index begin, Index end, Index at_a_time, F&& append) {
  if (at_a_time == 0) at_a_time = std::max<Index>(end - begin, 1);
  for (Index first = begin; first < end; first += at_a_time) append(first, std::min(first + at_a_time, end));
}

inline PathRun run_path(const AttentionProblem& problem, const Parameters& parameters, RunOptions options = {}) {
  Path path(parameters, context_of(problem, options));
  const AttentionProblem& asked = options.answer_with != nullptr ? *options.answer_with : problem;
  PathRun run;
  Index appended = 0;
  for (Index query = options.first_query; query < problem.s_q(); ++query) {
    QueryView view(asked, *options.backend, query);
    append_rows(appended, view.visible(), options.rows_at_a_time,
                [&](Index begin, Index end) { path.append(problem, begin, end); });
    appended = view.visible();
    std::vector<Published> published(problem.h_q());
    run.rows.push_back(path.answer(view, published.data()));
    run.published.emplace_back();
    for (Published& head : published) run.published.back().push_back(std::move(head.selected));
  }
  return run;
}

/// The answer of one head of the last query.
inline PathRow last_row(const PathRun& run, Index head = 0) { return run.rows.back()[head]; }

/// Whether two runs gave the same answers to the bit; costs too.
inline bool same_row(const PathRow& a, const PathRow& b) {
  return a.ran == b.ran && a.kept == b.kept && a.entries == b.entries && a.reachable == b.reachable && a.o == b.o &&
         a.log_sum_exp == b.log_sum_exp && a.keys_scored == b.keys_scored && a.bytes_read_main == b.bytes_read_main &&
         a.bytes_read_summary == b.bytes_read_summary && a.bytes_stored == b.bytes_stored &&
         a.ties_at_cut == b.ties_at_cut;
}
inline bool same_answers(const std::vector<std::vector<PathRow>>& a, const std::vector<std::vector<PathRow>>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t head = 0; head < a[i].size(); ++head)
      if (!same_row(a[i][head], b[i][head])) return false;
  return true;
}

}  // namespace lacuna::testing_core
