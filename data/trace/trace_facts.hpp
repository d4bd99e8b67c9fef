// What a trace file says about itself, and what of it is accepted.
//
//   q [layer, head, query, d_qk]   k [layer, kv_head, key, d_qk]   v [layer, kv_head, key, d_v] (absent: K = V)
//   query_position [query]   key_position [key]   layer [layer]   head [head]   sink_logit [layer, head]   sm_scale
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/trace/element.hpp"

namespace lacuna {

struct StoredTensor {
  ElementType element = ElementType::f32;
  std::vector<Index> extents;  ///< outermost first
};

/// The floating tensors of a file, as stored; what is absent has no value.
struct StoredTensors {
  std::optional<StoredTensor> q, k, v, sink_logit;
};

/// The small contents of a file, as stored.
struct StoredLabels {
  std::optional<std::vector<Index>> layer, head, query_position, key_position;
  std::vector<double> sink_logit;  ///< [layer, head], or empty
  std::optional<double> sm_scale;
};

struct TraceSizes {
  Index layers = 0;
  Index heads = 0;
  Index kv_heads = 0;
  Index queries = 0;
  Index keys = 0;
  Index d_qk = 0;
  Index d_v = 0;
  bool shared_kv = false;
  bool has_sink = false;
  ElementType q = ElementType::f32;
  ElementType k = ElementType::f32;
  ElementType v = ElementType::f32;  ///< that of k when K = V

  bool operator==(const TraceSizes&) const = default;
  /// Whether the file is read as double: one of its tensors is.
  bool is_double() const;
  /// Bytes of q, k and v of all layers, as stored.
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
};

/// "[6, 3, 256, 64]"
std::string shape_text(const std::vector<Index>& extents);

/// Throws InputError naming the dataset: one that is missing, of the wrong rank, empty, does not go with another, or
/// has more elements than can be addressed.
TraceSizes checked_sizes(const StoredTensors& tensors);

/// Fills in what is absent (layers and heads are numbered from 0, keys are positions 0 to n - 1, queries are the last
/// ones). Throws InputError naming the dataset: a length that does not go with the tensors, labels that repeat,
/// positions that do not ascend, a number that is not finite, a scale that is missing or not positive.
TraceHeader checked_header(const TraceSizes& sizes, const StoredLabels& labels);

}  // namespace lacuna
