// An approximate path: a composition of stages that answers a query from what it reads.
//
//   store -> pool -> select -> window, sink_tokens -> attend: one softmax over the union of keys, each counted once,
//   the local rows (where the problem has such, and a replay has not lost them) always among them, the sink logit in
//   the denominator.
//
// A path without select attends its whole pool; without a pool either, only its window and sink tokens; with none of
// the three, every visible key (the control). It answers; the harness measures.
//
// A path with regions (region.hpp) has none of these stages: it attends the entries of every region.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/approx/index_scorer.hpp"
#include "core/approx/pool.hpp"
#include "core/approx/region_cache.hpp"
#include "core/approx/replay_window.hpp"
#include "core/approx/selection_store.hpp"
#include "core/approx/selector.hpp"
#include "core/approx/store.hpp"

namespace lacuna {

/// Whether "layers" or "heads" (a list of labels) leaves this one to the path; an absent list means all.
bool covers(const Parameters& path, const char* key, Index label);

/// What is true of every answer of a path: it decides which metrics and bounds apply.
struct PathTraits {
  bool is_oracle = false;  ///< reads every visible key to choose
  bool has_pool = false;
  bool selects = false;          ///< has a select stage
  bool reads_summaries = false;  ///< block summaries or value norms
  bool stores = false;           ///< keeps K or V in a format: no pure truncation
  bool replays = false;          ///< lacks local rows that a bounded replay lost
  bool uses_indexer = false;     ///< chooses by a layer's lightning indexer
  bool other_support = false;    ///< its softmax runs over entries that stand for several rows
  bool is_random = false;
  Index trials = 1;

  static PathTraits of(const Parameters& path);
};

/// The answer for one head.
struct PathRow {
  bool ran = true;         ///< false: a stage had no answer here
  KeySet kept;             ///< rows attended, in the numbering of SeenRows: cached ones, then local ones
  Index absent_local = 0;  ///< local rows that are lost: the oldest so many
  Index entries = 0;       ///< entries of regions attended beside them
  KeySet reachable;        ///< pool, window, sink tokens, local rows: what could be attended; with a pool
  std::vector<double> o;   ///< [d_v] output, as the path computed it
  double log_sum_exp = 0;
  std::shared_ptr<const IndexAnswer> index = {};  ///< scores of the layer's indexer, where one was asked
  Index keys_scored = 0;                          ///< keys whose score was computed
  Index index_keys_scored = 0;                    ///< keys that an indexer scored, once for all heads
  Index bytes_read_main = 0;     ///< K and V rows read for the head's KV head: union over its query heads
  Index bytes_read_summary = 0;  ///< summaries read for the head's KV head
  Index bytes_read_index = 0;    ///< index keys read, once for all heads
  Index bytes_stored = 0;        ///< cache and summaries of the head's KV head at this query
  Index ties_at_cut = 0;
};

/// A path over one layer; grows with the cache, answers query by query in ascending position.
class Path {
 public:
  Path(const Parameters& parameters, const StageContext& context);

  /// Rows [begin, end) became readable.
  void append(const LayerView& layer, Index begin, Index end);
  /// The cache as the path keeps it for a head; nullptr for a path without formats. A head or layer that a path with
  /// formats leaves exact has a cache in the format `exact`.
  const StoredCache* stored(Index head) const { return is_exact_head(head) ? exact_store_.get() : store_.get(); }
  /// The regions that a head attends; nullptr for a path without regions and for a head that it leaves exact.
  const RegionCache* regions(Index head) const { return is_exact_head(head) ? nullptr : regions_.get(); }
  /// One answer per query head. Writes what later layers and other paths may read when `publish` [h_q] is given.
  std::vector<PathRow> answer(QueryView& query, Published* publish);

 private:
  /// What the pool stage does in this layer. With "pool.from_layer" one layer builds the pool, which does not restrict
  /// its own selection, and the layers over the same rows whose selection comes from a later one choose within it.
  /// Without it, a layer that takes over a selection chooses within the pool in which that was made.
  enum class PoolRole { none, restricts, builds_for_later, reads_earlier };
  void open_pool(const Parameters& parameters, const StageContext& context);

  /// Selection and pool of the heads that share them.
  void answer_group(GroupQuery& query, std::vector<PathRow>& rows, Published* publish);
  /// The keys that the selection may choose from; nullopt where the pool's layer has no answer.
  std::optional<KeySet> candidates(GroupQuery& query, Published* publish);
  void attend(const QueryView& query, Index head, PathRow& row) const;
  /// Every path attends the local rows that are there.
  static void add_local_rows(const SeenRows& seen, PathRow& row);
  bool is_exact_head(Index head) const { return std::binary_search(exact_heads_.begin(), exact_heads_.end(), head); }
  /// Bytes of one KV head's K and V: every key scored reads K, every key attended reads both.
  Index bytes_read(const LayerView& layer, const KeySet& scored, const KeySet& attended, Index visible) const;
  void charge(const QueryView& query, const std::vector<HeadCost>& cost, std::vector<PathRow>& rows) const;

  PathTraits traits_;
  Index window_;
  Index sink_tokens_;
  bool outside_window_ = false;
  bool attends_everything_;
  ReplayWindow replay_;
  std::vector<std::vector<Index>> groups_;  // heads that share a selection
  std::vector<Index> exact_heads_;          // heads that the path leaves exact
  std::unique_ptr<StoredCache> store_;
  std::unique_ptr<StoredCache> exact_store_;  // of a path with formats, for heads that it leaves exact
  std::unique_ptr<RegionCache> regions_;
  std::unique_ptr<IndexScorer> index_;  // where the path uses an indexer and the layer has one
  PoolRole pool_role_ = PoolRole::none;
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<Selector> selector_;
  const SelectionStore* selections_;  // of pools that an earlier layer built: `path_name_`, `path_cell_`, `pool_layer_`
  std::string path_name_;
  Index path_cell_;
  Index pool_layer_ = -1;
};

}  // namespace lacuna
