#include "core/approx/region.hpp"

#include <algorithm>

#include "core/format/format_kind.hpp"

namespace lacuna {
namespace {

constexpr double kMost = 2147483647;  // rows are numbered with 31 bits

std::vector<Region> listed(const Parameters& path) {
  const auto& from = path.get<std::vector<std::int64_t>>("region.from");
  const auto& compress = path.get<std::vector<std::int64_t>>("region.compress");
  const auto& store = path.get<std::vector<std::string>>("region.store");
  std::vector<Region> regions;
  for (std::size_t i = 0; i < from.size(); ++i) regions.push_back({from[i], compress[i], store[i]});
  return regions;
}

/// Whether a parameter beside the regions is there and does something.
bool is_in_use(const Parameters& path, const char* key) {
  return path.has(key) && path.at(key) != ParameterValue(std::int64_t{0});
}

}  // namespace

std::vector<Region> regions_of(const Parameters& path) {
  std::vector<Region> regions;
  for (const Region& region : listed(path)) {
    if (regions.empty() && region.compress > 1) regions.push_back(Region{});
    regions.push_back(region);
  }
  return regions;
}

std::vector<RowSpan> region_spans(const std::vector<Region>& regions, Index visible) {
  std::vector<RowSpan> spans;
  for (const Region& region : regions) {
    const Index end = std::max<Index>(visible - region.from, 0) / region.compress * region.compress;
    if (!spans.empty()) spans.back().begin = end;
    spans.push_back({0, end});
  }
  return spans;
}

std::vector<ParameterSpec> region_parameters() {
  using enum ParameterType;
  std::vector<std::string> formats;
  for (const FormatKind& kind : FormatRegistry::instance().kinds())
    if (kind.rows_per_group == 1) formats.push_back(kind.name);
  return {
      {.key = "region.from",
       .type = integer,
       .unit = "keys",
       .minimum = 0,
       .maximum = kMost,
       .required = true,
       .sweepable = false,
       .sentence = "Distance from the newest visible key at which the region begins; 0 in the first."},
      {.key = "region.compress",
       .type = integer,
       .unit = "keys",
       .minimum = 1,
       .maximum = 65536,
       .default_value = std::int64_t{1},
       .sweepable = false,
       .sentence = "Keys per entry, which is their mean; 1: the keys themselves."},
      {.key = "region.store",
       .type = text,
       .choices = formats,
       .default_value = std::string("exact"),
       .sweepable = false,
       .sentence = "Format in which the region's entries are kept."},
  };
}

std::vector<ParameterFault> check_regions(const Parameters& path) {
  if (!path.has("region.from")) {
    if (path.boolean("region_count_weight")) return {};
    return {{"region_count_weight", "'region_count_weight' needs regions: give [[path.region]]"}};
  }
  std::vector<ParameterFault> faults;
  for (const char* key : {"select.by", "pool.blocks", "replay.prefix", "window", "store", "store_k", "store_v", "store_local",
                          "store_rotate", "store_exact_tail"})
    if (is_in_use(path, key))
      faults.push_back({key, fmt::format("'{}' and 'region' do not go together: a path with regions reads every region "
                                         "as it is kept",
                                         key)});
  const std::vector<Region> regions = listed(path);
  if (regions.front().from != 0)
    faults.push_back({"region.0.from", fmt::format("'from' = {} of the first region must be 0", regions.front().from)});
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const Region& near = regions[i - 1];
    const Region& far = regions[i];
    if (far.from <= near.from)
      faults.push_back({fmt::format("region.{}.from", i),
                        fmt::format("'from' = {} of region {} must be greater than that of the region before it, {}",
                                    far.from, i + 1, near.from)});
    if (far.compress % near.compress != 0)
      faults.push_back(
          {fmt::format("region.{}.compress", i),
           fmt::format("'compress' = {} of region {} must be a multiple of that of the region before it, {}",
                       far.compress, i + 1, near.compress)});
  }
  return faults;
}

std::optional<ParameterFault> check_regions_of_source(const Parameters& path, Index d_qk, Index d_v, bool shared_kv) {
  if (!path.has("region.from")) return std::nullopt;
  const std::vector<Region> regions = listed(path);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const FormatKind& format = FormatRegistry::instance().at(regions[i].store);
    if (format.code_bits == 0) continue;
    for (const Index width : {d_qk, d_v}) {
      if (shared_kv && width != d_qk) continue;
      if (const auto why = format.check({.width = width, .exact_tail = 0, .source_bytes = 8}))
        return ParameterFault{"region.store", fmt::format("region {}: {}", i + 1, *why)};
    }
  }
  return std::nullopt;
}

}  // namespace lacuna
