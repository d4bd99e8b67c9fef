#include "core/certificates/block_summaries.hpp"

#include "core/approx/block_ranker.hpp"

namespace lacuna {

BlockSummaries::BlockSummaries(const Rows& keys, const Rows& values, Index block_size)
    : keys_(keys), values_(values), block_size_(block_size) {
  for (Index b = 0; b < keys.rows() / block_size; ++b)
    complete_.push_back(summarize(b * block_size, (b + 1) * block_size));
}

BlockSummary BlockSummaries::summarize(Index begin, Index end) const {
  const KeySet rows = key_range(begin, end);
  BlockSummary summary{{}, {}, ball_of(keys_, rows), ball_of(values_, rows)};
  keys_.visit([&](const auto& k) {
    summary.key_min.assign(k.row(begin), k.row(begin) + k.width);
    summary.key_max = summary.key_min;
    for (Index j = begin + 1; j < end; ++j)
      for (Index c = 0; c < k.width; ++c) {
        const double x = static_cast<double>(k.row(j)[c]);
        summary.key_min[c] = std::min(summary.key_min[c], x);
        summary.key_max[c] = std::max(summary.key_max[c], x);
      }
  });
  return summary;
}

Index summary_bytes(const AttentionProblem& problem, Index block_size, Index visible) {
  const Index of_keys = 3 * problem.d_qk() + 1;                           // box, mean, radius
  const Index of_values = (problem.shared_kv() ? 0 : problem.d_v()) + 1;  // centre, radius
  return block_count(visible, block_size) * (of_keys + of_values) * problem.stored_element_bytes;
}

}  // namespace lacuna
