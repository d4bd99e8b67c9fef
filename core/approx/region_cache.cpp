#include "core/approx/region_cache.hpp"

#include <cmath>

namespace lacuna {

RegionEntries::RegionEntries(Region region, Index first_row, const LayerView& layer, const std::vector<double>& q)
    : region_(std::move(region)), first_row_(first_row), row_bytes_(layer.row_bytes()) {
  if (region_.is_exact_rows()) return;
  const FormatKind& format = FormatRegistry::instance().at(region_.store);
  const Index count = std::max<Index>(layer.s_kv() - first_row, 0) / region_.compress;
  const auto keep = [&](Index width, std::unique_ptr<StoredTensor>& stored, Tensor& decoded) {
    const RowShape shape{.width = width, .exact_tail = 0, .source_bytes = 8};
    stored = std::make_unique<StoredTensor>(format, shape, 0, layer.stored_element_bytes, layer.h_kv(), count);
    decoded = Tensor::view(layer.h_kv(), count, width, stored->decoded());
  };
  keep(layer.d_qk(), keys_, entries_.k);
  if (!layer.shared_kv()) keep(layer.d_v(), values_, entries_.v);
  entries_.value_channels = layer.value_channels;
  entries_.q = Tensor::view(layer.h_q(), layer.s_q(), layer.d_qk(), q);
  entries_.sm_scale = layer.sm_scale;
}

void RegionEntries::append(const LayerView& layer, Index begin, Index end) {
  if (region_.is_exact_rows()) return;
  const Index first = begin / region_.compress;
  const Index last = end / region_.compress;
  for (Index head = 0; head < layer.h_kv(); ++head) {
    keep(*keys_, head, layer.keys(head), first, last);
    if (values_) keep(*values_, head, layer.values(head), first, last);
  }
}

void RegionEntries::keep(StoredTensor& stored, Index head, const Rows& rows, Index first, Index last) const {
  const Index m = region_.compress;
  const Index width = rows.width();
  std::vector<double> mean((last - first) * width, 0.0);  // [last - first, width]
  rows.visit([&](const auto& from) {
    for (Index g = first; g < last; ++g) {
      double* sum = mean.data() + (g - first) * width;
      for (Index j = first_row_ + g * m; j < first_row_ + (g + 1) * m; ++j)
        for (Index c = 0; c < width; ++c) sum[c] += static_cast<double>(from.row(j)[c]);
    }
  });
  for (double& x : mean) x /= static_cast<double>(m);
  // entries before `first` were stored earlier and are not read again
  stored.append(
      head,
      TypedRows<double>{
          .base = nullptr, .rows = last, .width = width, .stride = width, .split = first, .tail = mean.data()},
      first, last);
}

Index RegionEntries::bytes(Index entries) const {
  if (region_.is_exact_rows()) return entries * row_bytes_;
  return keys_->bytes(entries) + (values_ ? values_->bytes(entries) : 0);
}

RegionCache::RegionCache(const Parameters& path, const LayerView& layer)
    : sink_tokens_(path.integer("sink_tokens")),
      count_weight_(path.boolean("region_count_weight")),
      row_bytes_(layer.row_bytes()),
      regions_(regions_of(path)) {
  for (Index head = 0; head < layer.h_q(); ++head)
    for (Index i = 0; i < layer.s_q(); ++i)
      for (Index c = 0; c < layer.d_qk(); ++c) q_.push_back(layer.queries(head).at(i, c));
  for (const Region& region : regions_) entries_.emplace_back(region, sink_tokens_, layer, q_);
}

void RegionCache::append(const LayerView& layer, Index begin, Index end) {
  for (RegionEntries& entries : entries_) entries.append(layer, behind(begin), behind(end));
}

std::vector<RegionCache::Part> RegionCache::parts(const LayerView& cache, Index visible) const {
  const std::vector<RowSpan> spans = region_spans(regions_, behind(visible));
  std::vector<Part> parts = {{&cache, 0, sinks(visible), 0}};
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Index m = regions_[i].compress;
    const Index first = regions_[i].is_exact_rows() ? sink_tokens_ : 0;  // the cache has the sink tokens before them
    parts.push_back({&entries_[i].layer(cache), first + spans[i].begin / m, first + spans[i].end / m,
                     count_weight_ ? std::log(static_cast<double>(m)) : 0.0});
  }
  return parts;
}

Index RegionCache::entries(Index visible) const {
  const std::vector<RowSpan> spans = region_spans(regions_, behind(visible));
  Index count = sinks(visible);
  for (std::size_t i = 0; i < regions_.size(); ++i) count += (spans[i].end - spans[i].begin) / regions_[i].compress;
  return count;
}

void RegionCache::attend(const QueryView& query, Index head, UnionSoftmax& softmax) const {
  const Index kv_head = query.layer().kv_head_of(head);
  for (const Part& part : parts(query.layer(), query.visible())) {
    if (part.begin == part.end) continue;
    std::vector<double> s(part.end - part.begin);
    score_rows(*part.layer, query.backend(), head, query.query(), part.layer->keys(kv_head), part.begin, part.end,
               s.data());
    for (double& score : s) score += part.score_offset;
    softmax.add(part.layer->values(kv_head), part.begin, s, key_range(0, part.end - part.begin));
  }
}

Index RegionCache::bytes_read(Index visible) const {
  const std::vector<RowSpan> spans = region_spans(regions_, behind(visible));
  Index total = sinks(visible) * row_bytes_;
  for (std::size_t i = 0; i < regions_.size(); ++i)
    total += entries_[i].bytes((spans[i].end - spans[i].begin) / regions_[i].compress);
  return total;
}

Index RegionCache::bytes_stored(Index visible) const {
  const std::vector<RowSpan> spans = region_spans(regions_, behind(visible));
  bool has_exact_rows = true;  // of everything nearer
  Index total = sinks(visible) * row_bytes_;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Index m = regions_[i].compress;
    const Index end = has_exact_rows ? spans[i].end : behind(visible);
    total += entries_[i].bytes(end / m - spans[i].begin / m);
    if (!has_exact_rows && behind(visible) % m != 0) total += row_bytes_;
    has_exact_rows &= regions_[i].is_exact_rows();
  }
  return total;
}

}  // namespace lacuna
