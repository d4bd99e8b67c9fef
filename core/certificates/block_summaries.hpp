// What a cache knows of its blocks of consecutive rows without reading them: for each block of one KV head the box and
// the ball of its keys, the ball around their mean, and the ball of its values.
//
// They are taken in double, over the rows that a query sees: the newest block is summarised over the rows that are
// there. A system that stores them in fewer digits must round the box and the radii outwards.
#pragma once

#include <vector>

#include "core/attention/problem.hpp"
#include "core/reference/ball.hpp"

namespace lacuna {

struct BlockSummary {
  std::vector<double> key_min;  ///< [d_qk]
  std::vector<double> key_max;  ///< [d_qk]
  Ball keys;                    ///< around their mean
  Ball values;                  ///< around their mean
};

class BlockSummaries {
 public:
  BlockSummaries() = default;
  /// keys [s_kv, d_qk], values [s_kv, d_v] of one KV head, which must outlive this.
  BlockSummaries(const Rows& keys, const Rows& values, Index block_size);

  /// Calls f(begin, end, summary) for every block of the first `visible` rows, ascending; [begin, end) are its rows.
  template <class F>
  void for_each_block(Index visible, F&& f) const {
    for (Index begin = 0; begin < visible; begin += block_size_) {
      const Index end = std::min(begin + block_size_, visible);
      const bool complete = end - begin == block_size_;
      f(begin, end, complete ? complete_[begin / block_size_] : summarize(begin, end));
    }
  }

 private:
  BlockSummary summarize(Index begin, Index end) const;

  Rows keys_;
  Rows values_;
  Index block_size_ = 1;
  std::vector<BlockSummary> complete_;  // [complete blocks]
};

/// Bytes of the summaries of the blocks of one KV head over `visible` rows, at the width of the stored elements. The
/// centre of the values of a shared state is part of that of the keys.
Index summary_bytes(const AttentionProblem& problem, Index block_size, Index visible);

}  // namespace lacuna
