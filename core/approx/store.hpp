// The store stage: the cache as a path keeps it, in a storage format instead of exactly.
//
// Rows are encoded as they are appended and decoded once; scores, selections and outputs of the path then come from the
// decoded rows. A per-channel format encodes whole groups of rows: rows of the group that is not complete yet are kept
// as they are, as such caches do. Optionally each block of 2^n channels is rotated by a Hadamard matrix before it is
// encoded, and back after: it spreads outliers and leaves the exact scores unchanged.
//
// Beside the decoded value of each element stands a bound on its error that is known from the stored bytes alone
// (core/format/format_kind.hpp). Behind a rotation H of n channels, x - x~ = H^T d with |d_i| <= e_i, so each element
// of the block is within sum_i e_i / sqrt(n), and the norm of the error is at most that of e.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/problem.hpp"
#include "core/base/parameter.hpp"
#include "core/format/format_kind.hpp"

namespace lacuna {

/// K or V of one layer in one format, growing; one instance serves every KV head.
class StoredTensor {
 public:
  /// `exact_element_bytes` = bytes of an element that is kept as the source stores it.
  StoredTensor(const FormatKind& format, const RowShape& shape, Index rotate, Index exact_element_bytes, Index heads,
               Index rows);

  /// Rows [begin, end) of a KV head's tensor were appended. Returns the first row whose decoded values are new.
  Index append(Index head, const Rows& exact, Index begin, Index end);

  /// The decoded row, [width]; NaN before it was appended.
  const double* row(Index head, Index j) const { return decoded_.data() + (head * rows_ + j) * shape_.width; }
  /// All of it, [heads, rows, width].
  const std::vector<double>& decoded() const { return decoded_; }
  /// Bound on each element's error, [width], rounded up to float.
  const float* error_bound(Index head, Index j) const { return bound_.data() + (head * rows_ + j) * shape_.width; }
  /// Bound on the norm of the row's error.
  double error_norm_bound(Index head, Index j) const { return norm_bound_[head * rows_ + j]; }
  Index saturated(Index head, Index j) const { return saturated_[head * rows_ + j]; }
  Index flushed(Index head, Index j) const { return flushed_[head * rows_ + j]; }

  /// Bytes of the first `rows` rows: complete groups as stored, the rest as they came.
  Index bytes(Index rows) const;
  /// Bytes read to use these rows (ascending) of `visible` ones: their codes, and the scales of each group touched.
  Index bytes_read(const KeySet& keys, Index visible) const;

 private:
  /// Encodes and decodes the complete group that starts at row `first`.
  void encode_group(Index head, const Rows& exact, Index first);
  void keep_exact(Index head, const Rows& exact, Index j);
  bool keeps_everything() const { return format_.code_bits == 0; }  // the format `exact`
  Index encoded_rows(Index rows) const {
    return keeps_everything() ? 0 : rows / format_.rows_per_group * format_.rows_per_group;
  }
  Index exact_row_bytes() const { return exact_element_bytes_ * shape_.width; }

  const FormatKind& format_;
  RowShape shape_;
  Index rotate_;  // channels per Hadamard block; 0: none
  Index exact_element_bytes_;
  Index rows_;
  std::vector<double> decoded_;     // [heads, rows, width]
  std::vector<float> bound_;        // [heads, rows, width]
  std::vector<double> norm_bound_;  // [heads, rows]
  std::vector<Index> saturated_;    // [heads, rows]
  std::vector<Index> flushed_;      // [heads, rows]
};

/// K and V of one layer as a path keeps them. A shared state is stored once.
class StoredCache {
 public:
  /// From "store", "store_k", "store_v", "store_rotate", "store_exact_tail".
  StoredCache(const Parameters& path, const AttentionProblem& layer);
  static bool wanted(const Parameters& path);
  /// Why the layer's widths do not suit the formats, naming the parameter; nullopt when they do.
  static std::optional<ParameterFault> check(const Parameters& path, Index d_qk, Index d_v, bool shared_kv);

  /// Returns the first row whose decoded values are new: before `begin` where a group of rows became complete.
  Index append(const AttentionProblem& layer, Index begin, Index end);
  const StoredTensor& keys() const { return *keys_; }
  const StoredTensor& values() const { return values_ ? *values_ : *keys_; }
  bool shared_kv() const { return values_ == nullptr; }

  /// The layer with decoded K and V, in double.
  const AttentionProblem& layer() const { return layer_; }
  /// Bytes of K and V of one KV head over `rows` rows.
  Index bytes(Index rows) const { return keys_->bytes(rows) + (values_ ? values_->bytes(rows) : 0); }

 private:
  std::unique_ptr<StoredTensor> keys_;
  std::unique_ptr<StoredTensor> values_;  // none for a shared state
  AttentionProblem layer_;                // its K and V view the decoded rows
};

/// "store", "store_k", "store_v", "store_rotate", "store_exact_tail".
std::vector<ParameterSpec> store_parameters();

}  // namespace lacuna
