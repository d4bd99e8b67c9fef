#include "data/trace/trace_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace lacuna {
namespace {

constexpr Index max_bytes = std::numeric_limits<Index>::max() / 16;  // of one tensor, widened
constexpr Index max_label = std::numeric_limits<Index>::max() / 2;   // so that differences and successors fit
constexpr Index max_rows = std::numeric_limits<RowIndex>::max();

using Names = std::array<std::string_view, 4>;

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

const StoredTensor* find(const StoredTensors& tensors, std::string_view name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

const StoredTensor& required(const StoredTensors& tensors, std::string_view name) {
  const StoredTensor* tensor = find(tensors, name);
  if (tensor == nullptr) throw InputError(fmt::format("dataset '{}' is missing", name));
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

void check_range(std::string_view name, const std::vector<Index>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || values[i] > max_label)
      throw InputError(
          fmt::format("dataset '{}' holds {} at index {}; expected 0 to {}", name, values[i], i, max_label));
}

/// `strictly`: equal neighbours are refused too.
void check_ascending(std::string_view name, const std::vector<Index>& values, bool strictly) {
  check_range(name, values);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] < values[i - 1] || (strictly && values[i] == values[i - 1]))
      throw InputError(
          fmt::format("dataset '{}' does not ascend: {} at index {} follows {}", name, values[i], i, values[i - 1]));
}

void check_unique(std::string_view name, const std::vector<Index>& values) {
  check_range(name, values);
  std::vector<Index> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin != sorted.end()) throw InputError(fmt::format("dataset '{}' holds {} twice", name, *twin));
}

/// The list of this name, or `absent`; of the length that it must have.
std::vector<Index> list_or(const StoredLabels& labels, std::string_view name, std::vector<Index> absent) {
  const auto found = labels.lists.find(name);
  if (found == labels.lists.end()) return absent;
  check_length(name, found->second.size(), static_cast<Index>(absent.size()));
  return found->second;
}

std::vector<Index> query_positions(const TraceSizes& sizes, const StoredLabels& labels,
                                   const std::vector<Index>& key_position) {
  const Index end = sizes.local_tokens > 0 ? sizes.local_tokens : key_position.back() + 1;
  const Index first = end - sizes.queries;
  if (first < 0 && !labels.lists.contains("query_position"))
    throw InputError(
        fmt::format("dataset 'query_position' is missing, and {} queries cannot be the last ones of {} positions",
                    sizes.queries, end));
  return list_or(labels, "query_position", numbered_from(first, sizes.queries));
}

double scale_of(const StoredLabels& labels) {
  const auto found = labels.numbers.find("sm_scale");
  if (found == labels.numbers.end())
    throw InputError("'sm_scale', the factor on the scores (an attribute of the root, or in __metadata__), is missing");
  if (!(found->second > 0 && found->second <= kLargestElement))
    throw InputError(
        fmt::format("'sm_scale' is {}; expected a number above 0 and at most {:g}", found->second, kLargestElement));
  return found->second;
}

/// The integer of this name in [1, maximum], 0 when absent.
Index count_of(const StoredLabels& labels, std::string_view name, Index maximum) {
  const auto found = labels.numbers.find(name);
  if (found == labels.numbers.end()) return 0;
  const double value = found->second;
  if (!(value >= 1 && value <= static_cast<double>(maximum) && value == std::floor(value)))
    throw InputError(fmt::format("'{}' is {}; expected an integer from 1 to {}", name, value, maximum));
  return static_cast<Index>(value);
}

Index local_window(const TraceHeader& header, const StoredLabels& labels) {
  constexpr Index longest = Index{1} << 52;  // every integer up to it is a double
  const Index window = count_of(labels, "local_window", longest);
  const Index tokens = header.sizes.local_tokens;
  if (tokens == 0 && window > 0) throw InputError("'local_window' is given, and dataset 'k_local' is missing");
  if (tokens == 0) return 0;
  if (window == 0)
    throw InputError(
        "'local_window', the tokens whose rows in 'k_local' a query reads (an attribute of the root, or in "
        "__metadata__), is missing");
  if (header.query_position.back() >= tokens)
    throw InputError(fmt::format("dataset 'k_local' has {} tokens; the query at position {} needs {}", tokens,
                                 header.query_position.back(), header.query_position.back() + 1));
  return window;
}

Index value_channels(const TraceSizes& sizes, const StoredLabels& labels) {
  if (labels.numbers.contains("value_channels") && !sizes.shared_kv)
    throw InputError("'value_channels' is of a shared state (K = V), and dataset 'v' exists");
  return count_of(labels, "value_channels", sizes.d_qk);
}

/// k and v.
void check_cache(TraceSizes& sizes, const StoredTensors& tensors) {
  const StoredTensor& k = required(tensors, "k");
  check_extents("k", k, Names{"layer", "kv_head", "key", "d_qk"});
  check_equal("the number of layers", "q", sizes.layers, "k", k.extents[0]);
  check_equal("width", "q", sizes.d_qk, "k", k.extents[3]);
  sizes.kv_heads = k.extents[1];
  sizes.keys = k.extents[2];
  sizes.tensors.push_back({"k", k.element, sizes.kv_heads, sizes.keys, sizes.d_qk});
  sizes.d_v = sizes.d_qk;

  const StoredTensor* v = find(tensors, "v");
  sizes.shared_kv = v == nullptr;
  if (sizes.shared_kv) return;
  check_extents("v", *v, Names{"layer", "kv_head", "key", "d_v"});
  check_equal("the number of layers", "k", sizes.layers, "v", v->extents[0]);
  check_equal("the number of KV heads", "k", sizes.kv_heads, "v", v->extents[1]);
  check_equal("the number of keys", "k", sizes.keys, "v", v->extents[2]);
  sizes.d_v = v->extents[3];
  sizes.tensors.push_back({"v", v->element, sizes.kv_heads, sizes.keys, sizes.d_v});
}

/// k_local and v_local.
void check_local(TraceSizes& sizes, const StoredTensors& tensors) {
  const StoredTensor* k = find(tensors, "k_local");
  const StoredTensor* v = find(tensors, "v_local");
  if (v != nullptr && k == nullptr) throw InputError("dataset 'k_local' is missing, and 'v_local' exists");
  if (v != nullptr && sizes.shared_kv)
    throw InputError("dataset 'v_local' exists, and 'v' does not: where K = V, local rows have no values either");
  if (k == nullptr) return;
  if (v == nullptr && !sizes.shared_kv) throw InputError("dataset 'v_local' is missing, and 'v' exists");

  const auto check = [&](std::string_view name, const StoredTensor& tensor, std::string_view width_name) {
    check_extents(name, tensor, Names{"layer", "kv_head", "token", width_name});
    check_equal("the number of layers", "k", sizes.layers, name, tensor.extents[0]);
    check_equal("the number of KV heads", "k", sizes.kv_heads, name, tensor.extents[1]);
  };
  check("k_local", *k, "d_qk");
  check_equal("width", "k", sizes.d_qk, "k_local", k->extents[3]);
  sizes.local_tokens = k->extents[2];
  if (sizes.local_tokens > max_rows - sizes.keys)
    throw InputError(fmt::format("datasets 'k' and 'k_local' have {} and {} rows, together more than {}", sizes.keys,
                                 sizes.local_tokens, max_rows));
  sizes.tensors.push_back({"k_local", k->element, sizes.kv_heads, sizes.local_tokens, sizes.d_qk});
  if (v == nullptr) return;
  check("v_local", *v, "d_v");
  check_equal("the number of tokens", "k_local", sizes.local_tokens, "v_local", v->extents[2]);
  check_equal("width", "v", sizes.d_v, "v_local", v->extents[3]);
  sizes.tensors.push_back({"v_local", v->element, sizes.kv_heads, sizes.local_tokens, sizes.d_v});
}

/// index_q, index_k and index_weights: all or none.
void check_indexer(TraceSizes& sizes, const StoredTensors& tensors) {
  constexpr std::array<std::string_view, 3> names = {"index_q", "index_k", "index_weights"};
  const auto exists = [&](std::string_view name) { return tensors.contains(name); };
  if (std::none_of(names.begin(), names.end(), exists)) return;
  for (const std::string_view name : names)
    if (!exists(name))
      throw InputError(fmt::format("dataset '{}' is missing: index_q, index_k and index_weights go together", name));

  const StoredTensor& q = required(tensors, "index_q");
  const StoredTensor& k = required(tensors, "index_k");
  const StoredTensor& weights = required(tensors, "index_weights");
  check_extents("index_q", q, Names{"layer", "index_head", "query", "d_index"});
  check_extents("index_k", k, std::array<std::string_view, 3>{"layer", "key", "d_index"});
  check_extents("index_weights", weights, std::array<std::string_view, 3>{"layer", "query", "index_head"});
  check_equal("the number of layers", "q", sizes.layers, "index_q", q.extents[0]);
  check_equal("the number of layers", "q", sizes.layers, "index_k", k.extents[0]);
  check_equal("the number of layers", "q", sizes.layers, "index_weights", weights.extents[0]);
  check_equal("the number of queries", "q", sizes.queries, "index_q", q.extents[2]);
  check_equal("the number of queries", "q", sizes.queries, "index_weights", weights.extents[1]);
  check_equal("the number of keys", "k", sizes.keys, "index_k", k.extents[1]);
  check_equal("width", "index_q", q.extents[3], "index_k", k.extents[2]);
  check_equal("the number of index heads", "index_q", q.extents[1], "index_weights", weights.extents[2]);
  sizes.index_heads = q.extents[1];
  sizes.d_index = q.extents[3];
  sizes.tensors.push_back({"index_q", q.element, sizes.index_heads, sizes.queries, sizes.d_index});
  sizes.tensors.push_back({"index_k", k.element, 1, sizes.keys, sizes.d_index});
  sizes.tensors.push_back({"index_weights", weights.element, 1, sizes.queries, sizes.index_heads});
}

void check_sink(TraceSizes& sizes, const StoredTensors& tensors) {
  const StoredTensor* sink = find(tensors, "sink_logit");
  sizes.has_sink = sink != nullptr;
  if (!sizes.has_sink) return;
  check_extents("sink_logit", *sink, std::array<std::string_view, 2>{"layer", "head"});
  check_equal("the number of layers", "q", sizes.layers, "sink_logit", sink->extents[0]);
  check_equal("the number of heads", "q", sizes.heads, "sink_logit", sink->extents[1]);
}

}  // namespace

Index TraceSizes::length_of(std::string_view list) const {
  if (list == "layer") return layers;
  if (list == "head") return heads;
  if (list == "query_position") return queries;
  LACUNA_ASSERT(list == "key_position");
  return keys;
}

bool TraceSizes::is_double() const {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const LayerTensor& tensor) { return tensor.element == ElementType::f64; });
}

Index TraceSizes::stored_bytes() const {
  Index bytes = 0;
  for (const LayerTensor& tensor : tensors) bytes += tensor.bytes();
  return layers * bytes;
}

std::string shape_text(const std::vector<Index>& extents) { return list_text(extents); }

TraceSizes checked_sizes(const StoredTensors& tensors) {
  const StoredTensor& q = required(tensors, "q");
  check_extents("q", q, Names{"layer", "head", "query", "d_qk"});
  TraceSizes sizes;
  sizes.layers = q.extents[0];
  sizes.heads = q.extents[1];
  sizes.queries = q.extents[2];
  sizes.d_qk = q.extents[3];
  sizes.tensors.push_back({"q", q.element, sizes.heads, sizes.queries, sizes.d_qk});
  check_cache(sizes, tensors);
  if (sizes.heads % sizes.kv_heads != 0)
    throw InputError(fmt::format("{} query heads (dataset 'q') do not divide among {} KV heads (dataset 'k')",
                                 sizes.heads, sizes.kv_heads));
  if (sizes.keys > max_rows)
    throw InputError(fmt::format("dataset 'k' has {} keys, more than {}", sizes.keys, max_rows));
  check_local(sizes, tensors);
  check_indexer(sizes, tensors);
  check_sink(sizes, tensors);
  return sizes;
}

TraceHeader checked_header(const TraceSizes& sizes, const StoredLabels& labels) {
  TraceHeader header;
  header.sizes = sizes;
  header.layer = list_or(labels, "layer", numbered_from(0, sizes.layers));
  check_ascending("layer", header.layer, true);
  header.head = list_or(labels, "head", numbered_from(0, sizes.heads));
  check_unique("head", header.head);
  header.key_position = list_or(labels, "key_position", numbered_from(0, sizes.keys));
  check_ascending("key_position", header.key_position, false);
  header.query_position = query_positions(sizes, labels, header.key_position);
  check_ascending("query_position", header.query_position, true);

  header.sink_logit = labels.sink_logit;
  check_length("sink_logit", header.sink_logit.size(), sizes.has_sink ? sizes.layers * sizes.heads : 0);
  if (const Index bad = first_not_finite(header.sink_logit); bad >= 0)
    throw InputError(fmt::format("dataset 'sink_logit' holds {} at layer {}, head {}", header.sink_logit[bad],
                                 header.layer[bad / sizes.heads], header.head[bad % sizes.heads]));
  header.sm_scale = scale_of(labels);
  header.local_window = local_window(header, labels);
  header.value_channels = value_channels(sizes, labels);
  return header;
}

}  // namespace lacuna
