#include "data/trace/trace_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace lacuna {
namespace {

constexpr Index max_bytes = std::numeric_limits<Index>::max() / 16;  // of all tensors together, widened

template <class List>
std::string list_text(const List& list) {
  std::string text;
  for (const auto& item : list) text += fmt::format("{}{}", text.empty() ? "[" : ", ", item);
  return text.empty() ? "[]" : text + "]";
}

/// Checks rank, emptiness and size of one tensor.
void check_extents(std::string_view name, const StoredTensor& tensor, std::span<const std::string_view> dimensions) {
  if (tensor.extents.size() != dimensions.size())
    throw InputError(
        fmt::format("dataset '{}' has shape {}; expected {}", name, shape_text(tensor.extents), list_text(dimensions)));
  Index bytes = static_cast<Index>(sizeof(double));
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Index extent = tensor.extents[i];
    if (extent <= 0) throw InputError(fmt::format("dataset '{}' has length {} along {}", name, extent, dimensions[i]));
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > max_bytes)
      throw InputError(fmt::format("dataset '{}' of shape {} has more elements than can be addressed", name,
                                   shape_text(tensor.extents)));
  }
}

void check_equal(std::string_view what, std::string_view name_a, Index a, std::string_view name_b, Index b) {
  if (a != b)
    throw InputError(fmt::format("datasets '{}' and '{}' differ in {}: {} and {}", name_a, name_b, what, a, b));
}

const StoredTensor& required(std::string_view name, const std::optional<StoredTensor>& tensor) {
  if (!tensor) throw InputError(fmt::format("dataset '{}' is missing", name));
  return *tensor;
}

std::vector<Index> numbered_from(Index first, Index count) {
  std::vector<Index> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

void check_length(std::string_view name, std::size_t length, Index expected) {
  if (static_cast<Index>(length) != expected)
    throw InputError(fmt::format("dataset '{}' has {} entries; expected {}", name, length, expected));
}

void check_not_negative(std::string_view name, const std::vector<Index>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0) throw InputError(fmt::format("dataset '{}' holds {} at index {}", name, values[i], i));
}

/// `strictly`: equal neighbours are refused too.
void check_ascending(std::string_view name, const std::vector<Index>& values, bool strictly) {
  check_not_negative(name, values);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] < values[i - 1] || (strictly && values[i] == values[i - 1]))
      throw InputError(
          fmt::format("dataset '{}' does not ascend: {} at index {} follows {}", name, values[i], i, values[i - 1]));
}

void check_unique(std::string_view name, const std::vector<Index>& values) {
  check_not_negative(name, values);
  std::vector<Index> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin != sorted.end()) throw InputError(fmt::format("dataset '{}' holds {} twice", name, *twin));
}

std::vector<Index> query_positions(const TraceSizes& sizes, const StoredLabels& labels,
                                   const std::vector<Index>& key_position) {
  if (labels.query_position) return *labels.query_position;
  const Index first = key_position.back() - sizes.queries + 1;
  if (first < 0)
    throw InputError(
        fmt::format("dataset 'query_position' is missing, and {} queries cannot be the last ones of {} "
                    "positions",
                    sizes.queries, key_position.back() + 1));
  return numbered_from(first, sizes.queries);
}

}  // namespace

bool TraceSizes::is_double() const { return q == ElementType::f64 || k == ElementType::f64 || v == ElementType::f64; }

Index TraceSizes::stored_bytes() const {
  return layers * (heads * queries * d_qk * bytes_of(q) +
                   kv_heads * keys * (d_qk * bytes_of(k) + (shared_kv ? 0 : d_v * bytes_of(v))));
}

std::string shape_text(const std::vector<Index>& extents) { return list_text(extents); }

TraceSizes checked_sizes(const StoredTensors& tensors) {
  using Names = std::array<std::string_view, 4>;
  const StoredTensor& q = required("q", tensors.q);
  const StoredTensor& k = required("k", tensors.k);
  check_extents("q", q, Names{"layer", "head", "query", "d_qk"});
  check_extents("k", k, Names{"layer", "kv_head", "key", "d_qk"});
  check_equal("the number of layers", "q", q.extents[0], "k", k.extents[0]);
  check_equal("width", "q", q.extents[3], "k", k.extents[3]);

  TraceSizes sizes;
  sizes.layers = q.extents[0];
  sizes.heads = q.extents[1];
  sizes.queries = q.extents[2];
  sizes.d_qk = q.extents[3];
  sizes.kv_heads = k.extents[1];
  sizes.keys = k.extents[2];
  sizes.q = q.element;
  sizes.k = k.element;
  sizes.shared_kv = !tensors.v.has_value();
  const StoredTensor& v = sizes.shared_kv ? k : *tensors.v;
  if (!sizes.shared_kv) {
    check_extents("v", v, Names{"layer", "kv_head", "key", "d_v"});
    check_equal("the number of layers", "k", k.extents[0], "v", v.extents[0]);
    check_equal("the number of KV heads", "k", k.extents[1], "v", v.extents[1]);
    check_equal("the number of keys", "k", k.extents[2], "v", v.extents[2]);
  }
  sizes.d_v = v.extents[3];
  sizes.v = v.element;
  if (sizes.heads % sizes.kv_heads != 0)
    throw InputError(fmt::format("{} query heads (dataset 'q') do not divide among {} KV heads (dataset 'k')",
                                 sizes.heads, sizes.kv_heads));
  if (sizes.keys > std::numeric_limits<RowIndex>::max())
    throw InputError(
        fmt::format("dataset 'k' has {} keys, more than {}", sizes.keys, std::numeric_limits<RowIndex>::max()));

  sizes.has_sink = tensors.sink_logit.has_value();
  if (sizes.has_sink) {
    check_extents("sink_logit", *tensors.sink_logit, std::array<std::string_view, 2>{"layer", "head"});
    check_equal("the number of layers", "q", sizes.layers, "sink_logit", tensors.sink_logit->extents[0]);
    check_equal("the number of heads", "q", sizes.heads, "sink_logit", tensors.sink_logit->extents[1]);
  }
  return sizes;
}

TraceHeader checked_header(const TraceSizes& sizes, const StoredLabels& labels) {
  TraceHeader header;
  header.sizes = sizes;
  header.layer = labels.layer.value_or(numbered_from(0, sizes.layers));
  check_length("layer", header.layer.size(), sizes.layers);
  check_ascending("layer", header.layer, true);
  header.head = labels.head.value_or(numbered_from(0, sizes.heads));
  check_length("head", header.head.size(), sizes.heads);
  check_unique("head", header.head);
  header.key_position = labels.key_position.value_or(numbered_from(0, sizes.keys));
  check_length("key_position", header.key_position.size(), sizes.keys);
  check_ascending("key_position", header.key_position, false);
  header.query_position = query_positions(sizes, labels, header.key_position);
  check_length("query_position", header.query_position.size(), sizes.queries);
  check_ascending("query_position", header.query_position, true);

  header.sink_logit = labels.sink_logit;
  check_length("sink_logit", header.sink_logit.size(), sizes.has_sink ? sizes.layers * sizes.heads : 0);
  if (const Index bad = first_not_finite(header.sink_logit); bad >= 0)
    throw InputError(fmt::format("dataset 'sink_logit' holds {} at layer {}, head {}", header.sink_logit[bad],
                                 header.layer[bad / sizes.heads], header.head[bad % sizes.heads]));
  if (!labels.sm_scale)
    throw InputError("'sm_scale', the factor on the scores (an attribute of the root, or in __metadata__), is missing");
  header.sm_scale = *labels.sm_scale;
  if (!(std::isfinite(header.sm_scale) && header.sm_scale > 0))
    throw InputError(fmt::format("'sm_scale' is {}; expected a finite number above 0", header.sm_scale));
  return header;
}

}  // namespace lacuna
