// What a path may see: the rows that are in the cache, the query, the main scores if it pays for them, and where in
// the study it stands. Nothing of the exact result.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/problem.hpp"
#include "kernels/kernels.hpp"

namespace lacuna {

class IndexScorer;
class SelectionStore;

/// The cache of one layer as it grows. A stage reads only rows that were appended.
using LayerView = AttentionProblem;

/// What a stage kind reads from outside for one layer; each kind derives its own.
struct StageInput {
  virtual ~StageInput() = default;
};

/// Where a stage stands: fixed while the stage lives.
struct StageContext {
  std::uint64_t seed = 0;
  Index sequences = 1;
  Index sequence = 0;  ///< index
  Index layer = 0;     ///< index
  Index trial = 0;     ///< of a random path
  const LayerView* problem = nullptr;
  const std::vector<Index>* layer_label = nullptr;  ///< [layers] labels
  const std::vector<Index>* head_label = nullptr;   ///< [h_q] labels
  std::string path = {};                            ///< name of the path
  Index path_cell = 0;                              ///< of its sweep
  const SelectionStore* selections = nullptr;       ///< what paths published so far
  std::shared_ptr<const StageInput> input = {};     ///< what the kind's `load` gave
};

/// What one path read for one head of one query. Bytes are summed by the path, over the heads of a KV head.
struct HeadCost {
  bool scored_every_key = false;  ///< the main scores of all visible keys were asked for
  KeySet scored;                  ///< otherwise: keys that were scored to choose among them
  Index summary_bytes = 0;        ///< of block summaries or norms read
  Index ties_at_cut = 0;          ///< scores equal to the last selected one that were left out
};

/// One query of every head of the layer.
///
/// The main scores are computed by the backend's kernels when a stage asks for them, once for all paths, and charged
/// to every path that asks.
class QueryView {
 public:
  QueryView(const LayerView& layer, const kernels::Backend& backend, Index query);

  Index query() const { return query_; }          ///< index of the query
  Index position() const { return position_; }    ///< its absolute position
  Index visible() const { return seen_.cached; }  ///< rows [0, visible) are in the cache
  const SeenRows& seen() const { return seen_; }  ///< the local rows with them
  const LayerView& layer() const { return layer_; }
  const kernels::Backend& backend() const { return backend_; }

  /// The query of one head, [d_qk].
  const std::vector<double>& q(Index head) const { return q_[head]; }
  /// Main scores of every visible key, [visible]; charged to `cost`.
  std::span<const double> scores(Index head, HeadCost& cost);
  /// Main scores at the listed keys only, written to s[key]; other entries stay. s [visible]
  void score_listed(Index head, const KeySet& keys, std::vector<double>& s) const;
  /// Main scores of the listed ones among the local rows that the query sees; others are 0. [seen().local]
  std::vector<double> score_local(Index head, const KeySet& listed) const;

 private:
  const LayerView& layer_;
  const kernels::Backend& backend_;
  Index query_;
  Index position_;
  SeenRows seen_;
  std::vector<std::vector<double>> q_;       // [h_q][d_qk]
  std::vector<std::vector<double>> scores_;  // [h_q][visible], filled on demand
};

/// Scores rows [begin, end) of `keys` against the layer's query of one head.
void score_rows(const LayerView& layer, const kernels::Backend& backend, Index head, Index query,
                const Rows& keys,                    // [>= end, d_qk]
                Index begin, Index end, double* s);  // [end - begin]

/// One query of the heads that share a selection, with what each of them is charged.
struct GroupQuery {
  QueryView& view;
  const std::vector<Index>& heads;  ///< query heads, by index
  std::vector<HeadCost>& cost;      ///< [h_q], by head
  IndexScorer* index = nullptr;     ///< the layer's own indexer as the path keeps it; nullptr where it has none

  /// Main scores by which the group ranks the keys in `among`, [visible]: see share.hpp. Other entries say nothing.
  /// Charges those keys, and no other is read.
  std::vector<double> scores(const KeySet& among);
};

}  // namespace lacuna
