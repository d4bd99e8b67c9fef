// The cache of one layer in regions (region.hpp): entries are made once, as the last of their rows is appended.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/approx/query_view.hpp"
#include "core/approx/region.hpp"
#include "core/approx/store.hpp"
#include "core/approx/union_softmax.hpp"

namespace lacuna {

/// The entries of one region for every KV head, over the whole cache. A region of exact rows is the cache itself.
class RegionEntries {
 public:
  /// `q` [h_q, s_q, d_qk]: the layer's queries in double, as decoded entries are.
  /// Its rows are counted from row `first_row` of the cache.
  RegionEntries(Region region, Index first_row, const LayerView& layer, const std::vector<double>& q);

  /// Rows [begin, end), counted so, became readable.
  void append(const LayerView& layer, Index begin, Index end);
  /// Queries, entries as keys and values, and their scale; `cache` is the layer as it was appended.
  const LayerView& layer(const LayerView& cache) const { return region_.is_exact_rows() ? cache : entries_; }
  /// K and V bytes of so many entries.
  Index bytes(Index entries) const;
  const Region& region() const { return region_; }

 private:
  /// Entries [first, last) of a KV head's rows.
  void keep(StoredTensor& stored, Index head, const Rows& rows, Index first, Index last) const;

  Region region_;
  Index first_row_;
  Index row_bytes_;                       // of an exact row
  std::unique_ptr<StoredTensor> keys_;    // none where the region is the cache itself
  std::unique_ptr<StoredTensor> values_;  // none for a shared state
  LayerView entries_;                     // its K and V view the decoded entries
};

class RegionCache {
 public:
  /// From "region.from", "region.compress", "region.store", "region_count_weight", "sink_tokens".
  RegionCache(const Parameters& path, const LayerView& layer);

  /// Rows [begin, end) became readable.
  void append(const LayerView& layer, Index begin, Index end);

  /// Entries [begin, end) of one region, which cover the rows that it is responsible for.
  struct Part {
    const LayerView* layer = nullptr;  ///< whose keys and values are the entries
    Index begin = 0;
    Index end = 0;
    double score_offset = 0;  ///< log m, or 0 where an entry counts as one key
  };
  /// The sink tokens, then the regions from near to far. `cache`: the layer as it was appended.
  std::vector<Part> parts(const LayerView& cache, Index visible) const;
  Index entries(Index visible) const;
  /// Adds every part to one head's softmax.
  void attend(const QueryView& query, Index head, UnionSoftmax& softmax) const;

  /// K and V bytes of one KV head: of the entries that a query reads.
  Index bytes_read(Index visible) const;
  /// Of what is kept. Where every nearer region keeps exact rows, a region's entries can be made from them when it
  /// takes them over; otherwise they were made when their last row came, and the sum of the incomplete group takes the
  /// room of one exact row.
  Index bytes_stored(Index visible) const;

 private:
  Index sinks(Index visible) const { return std::min(sink_tokens_, visible); }
  /// Visible rows behind the sink tokens.
  Index behind(Index visible) const { return visible - sinks(visible); }

  std::vector<double> q_;  // [h_q, s_q, d_qk]
  Index sink_tokens_;
  bool count_weight_;
  Index row_bytes_;
  std::vector<Region> regions_;
  std::vector<RegionEntries> entries_;  // [regions]
};

}  // namespace lacuna
