// Ranking blocks of consecutive keys: what a candidate pool keeps, and in which order block selection opens.
//
// A ranker kind is one file under core/approx/block. It keeps what summaries it needs as rows are appended, so the
// newest block is summarised over the rows that are there, never over rows to come.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/approx/query_view.hpp"
#include "core/base/registry.hpp"

namespace lacuna {

inline Index block_count(Index keys, Index block_size) { return (keys + block_size - 1) / block_size; }

class BlockRanker {
 public:
  virtual ~BlockRanker() = default;
  /// Rows [begin, end) became readable in every KV head, or have new values: as Selector::append.
  virtual void append(const LayerView& /*layer*/, Index /*begin*/, Index /*end*/) {}
  /// One score per block of the visible keys by which the heads of a group agree, higher is opened first: [blocks].
  /// Charges what it reads.
  virtual std::vector<double> rank(GroupQuery& query) = 0;
  /// Stored bytes of the summaries of one KV head over `keys` rows.
  virtual Index stored_bytes(Index /*keys*/) const { return 0; }
};

/// A ranker whose heads have scores of their own; a group agrees as share.hpp says, over blocks.
class HeadRanker : public BlockRanker {
 public:
  std::vector<double> rank(GroupQuery& query) final;

 private:
  /// The scores of one head, [blocks].
  virtual std::vector<double> rank_head(QueryView& query, Index head, HeadCost& cost) = 0;
};

struct BlockRankerKind {
  std::string name = {};
  std::string sentence = {};
  bool is_oracle = false;  ///< reads every visible key
  bool reads_summaries = false;
  bool needs_indexer = false;  ///< ranks by a layer's own indexer
  std::function<std::unique_ptr<BlockRanker>(Index block_size, const LayerView&)> open = {};
};

using BlockRankerRegistry = Registry<BlockRankerKind>;

}  // namespace lacuna
