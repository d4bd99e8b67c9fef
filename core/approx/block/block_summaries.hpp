// Block summaries that grow with the cache: for each KV head and block, some numbers derived from the block's keys.
// Appending rows re-derives the blocks it touches from the rows that are there.
#pragma once

#include <functional>
#include <vector>

#include "core/approx/block_ranker.hpp"

namespace lacuna {

/// Keys of one block, widened: rows [count][d_qk].
using BlockKeys = std::vector<std::vector<double>>;

class SummaryRanker : public HeadRanker {
 public:
  SummaryRanker(Index block_size, const LayerView& layer, Index numbers_per_block)
      : block_size_(block_size),
        numbers_(numbers_per_block),
        bytes_per_block_(numbers_per_block * layer.stored_element_bytes),
        summaries_(layer.h_kv()) {}

  void append(const LayerView& layer, Index begin, Index end) final;
  Index stored_bytes(Index keys) const final { return block_count(keys, block_size_) * bytes_per_block_; }

 protected:
  /// Writes the summary of a block's keys, [numbers_per_block].
  virtual void summarize(const BlockKeys& keys, double* summary) const = 0;
  /// The block's score from the query [d_qk] and its summary; without sm_scale.
  virtual double score(const std::vector<double>& q, const double* summary) const = 0;

 private:
  std::vector<double> rank_head(QueryView& query, Index head, HeadCost& cost) final;

  Index block_size_;
  Index numbers_;
  Index bytes_per_block_;
  std::vector<std::vector<double>> summaries_;  // [h_kv][blocks * numbers_]
};

}  // namespace lacuna
