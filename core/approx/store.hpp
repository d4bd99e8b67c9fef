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

/// One stored row: what it decodes to, and what its bytes say about that.
struct StoredRowView {
  const double* value = nullptr;       // [width] decoded
  const float* error_bound = nullptr;  // [width] bound on each element's error, rounded up
  double error_norm_bound = 0;         ///< bound on the norm of the row's error
  Index saturated = 0;                 ///< elements that were clipped
  Index flushed = 0;                   ///< elements that were not zero and became zero
};

/// K or V of one layer in one format, growing; one instance serves every KV head.
class StoredTensor {
 public:
  /// `exact_element_bytes` = bytes of an element that is kept as the source stores it.
  StoredTensor(const FormatKind& format, const RowShape& shape, Index rotate, Index exact_element_bytes, Index heads,
               Index rows);

  /// Rows [begin, end) of a KV head's tensor were appended. Returns the first row whose decoded values are new.
  Index append(Index head, const Rows& exact, Index begin, Index end);

  /// NaN before it was appended.
  StoredRowView row(Index head, Index j) const;
  /// All decoded rows, [heads, rows, width].
  const std::vector<double>& decoded() const { return decoded_; }

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

/// Stored rows of one KV head in the numbering of SeenRows: cached ones, then local ones.
class SeenStoredRows {
 public:
  SeenStoredRows(const StoredTensor& cached, const StoredTensor* local, Index kv_head, const SeenRows& seen)
      : cached_(cached), local_(local), kv_head_(kv_head), seen_(seen) {}
  StoredRowView operator[](Index j) const {
    return j < seen_.cached ? cached_.row(kv_head_, j) : local_->row(kv_head_, seen_.local_begin + (j - seen_.cached));
  }

 private:
  const StoredTensor& cached_;
  const StoredTensor* local_;
  Index kv_head_;
  SeenRows seen_;
};

/// K and V of one layer as a path keeps them. A shared state is stored once.
class StoredCache {
 public:
  /// From "store", "store_k", "store_v", "store_local", "store_rotate", "store_exact_tail".
  StoredCache(const Parameters& path, const AttentionProblem& layer);
  static bool wanted(const Parameters& path);
  /// Why the layer's widths do not suit the formats, naming the parameter; nullopt when they do.
  static std::optional<ParameterFault> check(const Parameters& path, Index d_qk, Index d_v, bool shared_kv,
                                             bool has_local);

  /// Returns the first row whose decoded values are new: before `begin` where a group of rows became complete.
  Index append(const AttentionProblem& layer, Index begin, Index end);
  /// The local rows that a query sees became readable; positions ascend from call to call.
  void append_local(const AttentionProblem& layer, const SeenRows& seen);
  const StoredTensor& keys() const { return *keys_; }
  const StoredTensor& values() const { return values_ ? *values_ : *keys_; }
  SeenStoredRows seen_keys(Index kv_head, const SeenRows& seen) const {
    return {*keys_, local_keys_.get(), kv_head, seen};
  }
  SeenStoredRows seen_values(Index kv_head, const SeenRows& seen) const {
    return {values(), local_values_ ? local_values_.get() : local_keys_.get(), kv_head, seen};
  }
  bool shared_kv() const { return values_ == nullptr; }

  /// The layer with decoded K and V, in double.
  const AttentionProblem& layer() const { return layer_; }
  /// Bytes of K and V of one KV head over `rows` cached rows.
  Index bytes(Index rows) const { return keys_->bytes(rows) + (values_ ? values_->bytes(rows) : 0); }
  /// The same over so many local rows, which are read as they are stored.
  Index local_bytes_read(Index rows) const;

 private:
  std::unique_ptr<StoredTensor> keys_;
  std::unique_ptr<StoredTensor> values_;        // none for a shared state
  std::unique_ptr<StoredTensor> local_keys_;    // none without local rows
  std::unique_ptr<StoredTensor> local_values_;  // none for a shared state
  Index local_end_ = 0;                         // local rows before it are stored where they were needed
  AttentionProblem layer_;                      // its K and V view the decoded rows
};

/// "store", "store_k", "store_v", "store_local", "store_rotate", "store_exact_tail".
std::vector<ParameterSpec> store_parameters();

}  // namespace lacuna
