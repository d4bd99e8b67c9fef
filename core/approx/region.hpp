// Regions of distance: newest rows one by one, farther ones as entries of several rows each, every region in a storage
// format of its own.
//
// Entry g of a region of m rows per entry is made of rows [g m, (g + 1) m), aligned at row 0 (m = 1: the row itself):
//
//   k_g = 1/m sum_j k_j ,   v_g = 1/m sum_j v_j                                                                    (1)
//
// (a shared state has one mean). It exists once all its rows are in the cache and never changes. With n visible rows,
// row j stands at distance n - 1 - j. Region i, from distance f_i on, with m_i rows per entry, covers the rows
//
//   [e_{i+1}, e_i) ,   e_0 = n ,   e_i = m_i floor( max(n - f_i, 0) / m_i ) ,   e_R = 0 . (2)
//
// Since f ascends and m_i divides m_{i+1}, e descends and both ends are multiples of m_i: every visible row is covered
// exactly once, and rows of a group that reaches across the edge stay with the nearer region. When m_0 > 1, the newest
// n mod m_0 rows belong to no entry yet; they are kept as they are, as one more region with m = 1 in front.
//
// The first `sink_tokens` rows are always kept as they are: where a model rests its attention on them, no mean can hold
// one. Everything above then counts rows from behind them.
//
// One softmax runs over all entries and the sink. An entry of m rows counts as m keys,
//
//   s_g = sm_scale q . k_g + log m ,                                                                               (3)
//
// exact where the rows of the group are equal; without "region_count_weight" it counts as one key, as in DeepSeek-V4's
// compressed attentions (arXiv:2606.19348, section 2.3), whose entries are gated sums that were trained for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/attention/rows.hpp"
#include "core/base/parameter.hpp"

namespace lacuna {

struct Region {
  Index from = 0;               ///< distance in rows from the newest visible one
  Index compress = 1;           ///< rows per entry
  std::string store = "exact";  ///< format
  bool is_exact_rows() const { return compress == 1 && store == "exact"; }
};

/// Rows [begin, end), both multiples of the region's rows per entry.
struct RowSpan {
  Index begin = 0;
  Index end = 0;
};

/// From near to far, (2): the regions of "region.from", "region.compress", "region.store", and one more in front when
/// the first of them has several rows per entry.
std::vector<Region> regions_of(const Parameters& path);

/// The rows that each region covers when so many are visible, both counted from behind the sink tokens.
std::vector<RowSpan> region_spans(const std::vector<Region>& regions, Index visible);

/// One [[path.region]]: "region.from", "region.compress", "region.store".
std::vector<ParameterSpec> region_parameters();

/// What is wrong with the regions of a path and with what stands beside them; keys "region.0.from" of the first.
std::vector<ParameterFault> check_regions(const Parameters& path);

/// Why the layer's widths do not suit a region's format.
std::optional<ParameterFault> check_regions_of_source(const Parameters& path, Index d_qk, Index d_v, bool shared_kv);

}  // namespace lacuna
