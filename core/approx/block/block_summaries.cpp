#include "core/approx/block/block_summaries.hpp"

namespace lacuna {

void SummaryRanker::append(const LayerView& layer, Index begin, Index end) {
  if (begin == end) return;
  for (Index kv_head = 0; kv_head < layer.h_kv(); ++kv_head) {
    const Rows keys = layer.keys(kv_head);
    std::vector<double>& summaries = summaries_[kv_head];
    summaries.resize(block_count(end, block_size_) * numbers_);
    for (Index block = begin / block_size_; block < block_count(end, block_size_); ++block) {
      BlockKeys rows;
      for (Index j = block * block_size_; j < std::min((block + 1) * block_size_, end); ++j) {
        rows.emplace_back(layer.d_qk());
        for (Index c = 0; c < layer.d_qk(); ++c) rows.back()[c] = keys.at(j, c);
      }
      summarize(rows, summaries.data() + block * numbers_);
    }
  }
}

std::vector<double> SummaryRanker::rank_head(QueryView& query, Index head, HeadCost& cost) {
  const Index blocks = block_count(query.visible(), block_size_);
  const std::vector<double>& summaries = summaries_[query.layer().kv_head_of(head)];
  LACUNA_ASSERT(static_cast<Index>(summaries.size()) == blocks * numbers_);
  std::vector<double> result(blocks);
  for (Index block = 0; block < blocks; ++block)
    result[block] = query.layer().sm_scale * score(query.q(head), summaries.data() + block * numbers_);
  cost.summary_bytes += blocks * bytes_per_block_;
  return result;
}

}  // namespace lacuna
