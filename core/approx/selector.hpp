// The `select` stage of an approximate path: which candidate keys does a query read?
//
// A selector kind is one file under core/approx/select (or, for selection by block summaries, core/approx/block): it
// registers itself with its parameters. It sees the rows that were appended to the cache so far and the query, and
// answers with one sorted set of keys for the heads that share a selection. It never sees the exact result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/approx/query_view.hpp"
#include "core/base/parameter.hpp"
#include "core/base/registry.hpp"

namespace lacuna {

class Selector {
 public:
  virtual ~Selector() = default;
  /// Rows [begin, end) became readable in every KV head of the layer; rows seen before may be among them, with new
  /// values (a format that encodes groups of rows keeps the newest ones exact until their group is complete).
  virtual void append(const LayerView& /*layer*/, Index /*begin*/, Index /*end*/) {}
  /// The keys that the heads of the group read, out of the candidates; ascending, each once. nullopt: the stage has no
  /// answer here (an earlier layer's selection in the first layer), and the row is recorded as not run.
  virtual std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) = 0;
  /// Stored bytes, per KV head over `keys` rows, of what the stage keeps beside the cache.
  virtual Index stored_bytes(Index /*keys*/) const { return 0; }
};

struct SelectorKind {
  std::string name = {};
  std::string sentence = {};
  bool is_oracle = false;                      ///< reads every visible key: starred wherever it is shown
  bool reads_summaries = false;                ///< reads something derived from the keys before it opens them
  bool ranks_by_score = true;                  ///< takes the best by some score: ties go to the lowest index, counted
  bool needs_indexer = false;                  ///< chooses by a layer's own indexer
  bool is_random = false;                      ///< repeated in independent trials ("select.trials")
  std::vector<ParameterSpec> parameters = {};  ///< keys without the "select." prefix
  /// Faults among the kind's own parameters (keys with the prefix: "select.k"); empty function: none to check.
  std::function<std::vector<ParameterFault>(const Parameters&)> check = {};
  /// What the kind reads from outside, for one sequence and layer; called once for each, before any `open` for it and
  /// from a single thread, so that files may be read here. Reaches `open` as context.input. Empty: nothing to read.
  std::function<std::shared_ptr<const StageInput>(const Parameters&, const StageContext&)> load = {};
  /// The cell's parameters (keys "select.k", ...) and where in the study the selector stands.
  std::function<std::unique_ptr<Selector>(const Parameters&, const StageContext&)> open = {};
};

using SelectorRegistry = Registry<SelectorKind>;

}  // namespace lacuna
