// How cached rows are stored: formats as a registered kind. A format is one file (or one family of formats) under
// core/format; the range, layout, rounding and tie rule of its elements and the rule that chooses its scales stand in
// prose above its code.
//
// Rows are encoded in groups: one row at a time, or 32 rows for the per-channel formats. Nothing of another group is
// read, so what a row becomes depends on its own group alone (a cache that only appends stays causal). Inside a group
// channels share a scale in blocks; error, clipping and bytes all follow from what is stored:
//
//   decode       the value a reader of the cache sees, exact in double
//   error_bound  |x - decode(x)| <= bound, per element, known from the stored codes and scales alone. A code fixes x up
//                to half a step of its grid. At the format's largest code the value may have been clipped; how far is
//                known all the same, because the rule that chose the scale limits the largest magnitude of the block
//                (amax). Only where the scale itself is at its own largest value is amax unlimited: the bound is then
//                +inf, unless the caller kept block_amax, which the encoder hands out for this case alone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/attention/rows.hpp"
#include "core/base/registry.hpp"

namespace lacuna {

/// One row, as the format sees it.
struct RowShape {
  Index width = 0;         ///< channels
  Index exact_tail = 0;    ///< the last channels, kept as bf16 beside the codes (the RoPE part of a latent)
  Index source_bytes = 8;  ///< 4 or 8: bytes of an element before it is stored; read by `exact` alone
  bool operator==(const RowShape&) const = default;
};

/// Bytes of one stored group of rows, field by field. Unless its file says otherwise a format stores them in this
/// order.
struct StoredBytes {
  Index codes = 0;
  Index scales = 0;
  Index tail = 0;  ///< bf16 channels
  Index total() const { return codes + scales + tail; }
};

/// What an encoder tells beside the bytes. None of it is stored.
struct EncodeReport {
  /// Elements beyond what the stored scale spans (by more than the scale's own rounding): clipped.
  Index* saturated = nullptr;    // [rows_per_group]
  Index* flushed = nullptr;      // [rows_per_group]; elements that were not zero and became zero
  double* block_amax = nullptr;  // [blocks]; largest magnitude of each block, as given
};

class RowCodec {
 public:
  virtual ~RowCodec() = default;
  virtual StoredBytes bytes(const RowShape& shape) const = 0;
  /// Entries of block_amax.
  virtual Index blocks(const RowShape& shape) const = 0;
  virtual void encode(const RowShape& shape,
                      const double* rows,  // [rows_per_group, width], finite
                      std::byte* stored,   // [bytes.total()]
                      const EncodeReport& report) const = 0;
  virtual void decode(const RowShape& shape,
                      const std::byte* stored,  // [bytes.total()]
                      double* rows) const = 0;  // [rows_per_group, width]
  virtual void error_bound(const RowShape& shape,
                           const std::byte* stored,   // [bytes.total()]
                           const double* block_amax,  // [blocks] or nullptr
                           double* bound) const = 0;  // [rows_per_group, width]
};

struct FormatKind {
  std::string name = {};
  std::string sentence = {};
  int code_bits = 0;         ///< bits of one element's code
  Index block = 0;           ///< channels that share a scale; 0: the whole row
  Index rows_per_group = 1;  ///< rows that are encoded together
  bool takes_exact_tail = false;
  std::shared_ptr<const RowCodec> codec = nullptr;

  /// Why rows of this shape cannot be stored; nullopt when they can.
  std::optional<std::string> check(const RowShape& shape) const;
  /// Bytes of one stored group; bytes of a row are this over rows_per_group.
  Index group_bytes(const RowShape& shape) const { return codec->bytes(shape).total(); }

  /// As RowCodec::encode, for input that nobody has checked: throws InputError that names the channel (and the row of
  /// the group) of a NaN or an infinity, before anything is written.
  void encode(const RowShape& shape, const double* rows, std::byte* stored, const EncodeReport& report) const;
};

using FormatRegistry = Registry<FormatKind>;

}  // namespace lacuna
