// What a trace file says about itself, and what of it is accepted.
//
//   q [layer, head, query, d_qk]   k [layer, kv_head, key, d_qk]   v [layer, kv_head, key, d_v] (absent: K = V)
//   query_position [query]   key_position [key]   layer [layer]   head [head]   sink_logit [layer, head]
//   k_local [layer, kv_head, token, d_qk]   v_local [layer, kv_head, token, d_v] (absent exactly when v is)
//   index_q [layer, index_head, query, d_index]   index_k [layer, key, d_index]   index_weights [layer, query,
//   index_head] numbers: sm_scale   local_window (with k_local)   value_channels (without v)
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/trace/element.hpp"

namespace lacuna {

struct StoredTensor {
  ElementType element = ElementType::f32;
  std::vector<Index> extents;  ///< outermost first
};

/// The names of the floating tensors, of the integer lists and of the numbers.
inline constexpr std::array<std::string_view, 9> kTensorNames = {
    "q", "k", "v", "k_local", "v_local", "index_q", "index_k", "index_weights", "sink_logit"};
inline constexpr std::array<std::string_view, 4> kListNames = {"layer", "head", "query_position", "key_position"};
inline constexpr std::array<std::string_view, 3> kNumberNames = {"sm_scale", "local_window", "value_channels"};

/// The floating tensors of a file by name, as stored.
using StoredTensors = std::map<std::string, StoredTensor, std::less<>>;

/// The small contents of a file, as stored.
struct StoredLabels {
  std::map<std::string, std::vector<Index>, std::less<>> lists;
  std::map<std::string, double, std::less<>> numbers;
  std::vector<double> sink_logit;  ///< [layer, head], or empty
};

/// A tensor of one layer, [heads, rows, width].
struct LayerTensor {
  std::string_view name;  ///< one of kTensorNames
  ElementType element = ElementType::f32;
  Index heads = 1;
  Index rows = 0;
  Index width = 0;

  bool operator==(const LayerTensor&) const = default;
  Index bytes() const { return heads * rows * width * bytes_of(element); }
};

struct TraceSizes {
  Index layers = 0;
  Index heads = 0;
  Index kv_heads = 0;
  Index queries = 0;
  Index keys = 0;
  Index d_qk = 0;
  Index d_v = 0;           ///< of the values as stored: d_qk when K = V
  Index local_tokens = 0;  ///< 0: no local rows
  Index index_heads = 0;   ///< 0: no indexer
  Index d_index = 0;
  bool shared_kv = false;
  bool has_sink = false;
  std::vector<LayerTensor> tensors;  ///< of one layer, all but the sinks

  bool operator==(const TraceSizes&) const = default;
  /// Of the integer list of this name, one of kListNames.
  Index length_of(std::string_view list) const;
  /// Whether the file is read as double: one of its tensors is.
  bool is_double() const;
  /// Bytes of the tensors of all layers, as stored.
  Index stored_bytes() const;
};

/// A trace that can be used.
struct TraceHeader {
  TraceSizes sizes;
  std::vector<Index> layer;           ///< [layers] the model's own numbers, strictly ascending
  std::vector<Index> head;            ///< [heads] the model's own numbers, unique
  std::vector<Index> query_position;  ///< [queries] strictly ascending
  std::vector<Index> key_position;    ///< [keys] ascending
  std::vector<double> sink_logit;     ///< [layers, heads], or empty
  double sm_scale = 1;
  Index local_window = 0;    ///< tokens; 0: no local rows
  Index value_channels = 0;  ///< of a shared state: its first so many channels are the value; 0: all

  Index d_v() const { return value_channels > 0 ? value_channels : sizes.d_v; }
};

/// The largest magnitude of an element: scores are products of two elements (three, with an indexer's weight) and a
/// scale, and stay finite in double up to here.
inline constexpr double kLargestElement = 1e100;

/// "[6, 3, 256, 64]"
std::string shape_text(const std::vector<Index>& extents);

/// Throws InputError naming the dataset: one that is missing, of the wrong rank, empty, does not go with another, or
/// has more elements than can be addressed.
TraceSizes checked_sizes(const StoredTensors& tensors);

/// Fills in what is absent (layers and heads are numbered from 0, keys are positions 0 to n - 1, queries are the last
/// ones: of the local tokens, or else of the keys). Throws InputError naming the dataset: a length that does not go
/// with the tensors, labels that repeat, positions that do not ascend, too few local tokens for the queries, a number
/// that is not finite, a scale that is missing or not positive.
TraceHeader checked_header(const TraceSizes& sizes, const StoredLabels& labels);

}  // namespace lacuna
