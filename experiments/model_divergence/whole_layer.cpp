#include "experiments/model_divergence/whole_layer.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "core/model/dense_attention.hpp"
#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

/// No stage leaves out or merges rows.
bool keeps_every_row(const Parameters& path) {
  const PathTraits traits = PathTraits::of(path);
  return !traits.has_pool && !traits.selects && !traits.other_support && path.integer("window") == 0 &&
         path.integer("sink_tokens") == 0;
}

/// Whether what a row decodes to does not depend on how many rows follow.
bool stores_each_row_for_itself(const Parameters& path) {
  return std::ranges::all_of(std::array{"store", "store_k", "store_v", "store_local"}, [&](const char* key) {
    return !path.has(key) || FormatRegistry::instance().at(path.text(key)).rows_per_group == 1;
  });
}

/// [h_q] Heads whose rows are those of the exact run, given the same inputs.
std::vector<bool> exact_heads(const RunLayer& layer) {
  const Parameters& path = *layer.path;
  const Index label = (*layer.context.layer_label)[layer.context.layer];
  const bool everywhere = attends_everything(path, label) || !covers(path, "layers", label);
  std::vector<bool> exact;
  for (Index head = 0; head < layer.problem->h_q(); ++head)
    exact.push_back(everywhere || !covers(path, "heads", (*layer.context.head_label)[head]));
  return exact;
}

std::vector<double> attend(const AttentionProblem& problem, int threads) {
  return dense_attention(problem, [threads](Index count, const std::function<void(Index)>& work) {
    parallel_for(count, threads, [&](Index i) {
      check_for_interrupt();
      work(i);
    });
  });
}

/// All rows that are there, in their formats.
std::vector<double> attend_kept(const RunLayer& layer) {
  const AttentionProblem& problem = *layer.problem;
  const ReplayWindow replay(*layer.path, (*layer.context.layer_label)[layer.context.layer]);
  const auto attend_there = [&](const AttentionProblem& kept) {
    return replay.loses_rows() ? attend(replay.cut(kept), layer.threads) : attend(kept, layer.threads);
  };
  if (!StoredCache::wanted(*layer.path)) return attend_there(problem);
  StoredCache store(*layer.path, problem);
  store.append(problem, 0, problem.s_kv());
  for (const Index position : problem.query_position) store.append_local(problem, problem.seen(position));
  return attend_there(store.layer());
}

}  // namespace

bool attends_everything(const Parameters& path, Index layer_label) {
  return keeps_every_row(path) && !StoredCache::wanted(path) && !ReplayWindow(path, layer_label).loses_rows();
}

bool WholeLayer::has_all() const { return std::ranges::all_of(has, std::identity()); }

WholeLayer attend_whole_layer(const RunLayer& layer) {
  const Parameters& path = *layer.path;
  WholeLayer whole{.has = exact_heads(layer), .o = {}};
  const bool has_any = std::ranges::any_of(whole.has, std::identity());
  if (has_any) {
    whole.o = attend(*layer.problem, layer.threads);
  } else if (keeps_every_row(path) && stores_each_row_for_itself(path)) {
    whole.has.assign(whole.has.size(), true);
    whole.o = attend_kept(layer);
  } else {
    whole.o.resize(layer.problem->s_q() * layer.problem->h_q() * layer.problem->d_v());
  }
  return whole;
}

}  // namespace lacuna
