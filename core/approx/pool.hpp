// The candidate pool: a path's selection may only choose among the keys of the B blocks that rank highest.
//
// Blocks are contiguous, ranked by a BlockRanker, ties to the lowest index; the block of the newest visible key is
// pinned when asked for. Where the same scores rank blocks (by their maxima) and keys, the selection of k keys is the
// same with and without the pool if B >= k, or B >= k + 1 with the pin. Heads that share a selection agree on blocks by
// the softmax over block scores, which is not the maximum of their shared key scores: there the two may differ.
// The hierarchical sparse indexer of DeepSeek-V4.1-Flash (inference/model.py) with B = 2048 blocks of 8.
#pragma once

#include <memory>

#include "core/approx/block_ranker.hpp"
#include "core/base/parameter.hpp"

namespace lacuna {

class Pool {
 public:
  /// From "pool.blocks", "pool.block_size", "pool.rank_by", "pool.pin_newest".
  Pool(const Parameters& path, const LayerView& layer);

  void append(const LayerView& layer, Index begin, Index end) { ranker_->append(layer, begin, end); }
  /// The visible keys of the pool for the heads of a group.
  KeySet candidates(GroupQuery& query);
  Index stored_bytes(Index keys) const { return ranker_->stored_bytes(keys); }

 private:
  Index blocks_;
  Index block_size_;
  bool pin_newest_;
  std::unique_ptr<BlockRanker> ranker_;
};

}  // namespace lacuna
