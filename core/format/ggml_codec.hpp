// Formats of ggml: blocks of 32 channels, each block contiguous (its f16 numbers, then its codes), f32 arithmetic in
// the order of quantize_row_*_ref and dequantize_row_*, so that bytes and decoded values equal ggml's.
//
// What differs from ggml, all of it outside what caches hold:
//   - a number that does not fit f16 (|d| or |m| >= 65520) is stored as +-65504, where ggml stores an infinity;
//   - a block whose 1/d overflows f32 (|d| < 2^-128; d is stored as 0 in any case) gets the codes of zeros, where ggml
//     converts infinities and NaN to integers;
//   - elements beyond f32 are read as the largest f32.
//
// Error bounds: Block::bound counts from d as stored. Where d or m is at +-65504 its true value is not known, and
// |x - decoded| <= amax + |decoded| is what is left (+inf when the caller has no block_amax).
//
// Saturated: beyond what the stored d and m span, by more than 2^-10 of it (the rounding of d to f16), and not flushed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format/bytes.hpp"
#include "core/format/element/f16.hpp"
#include "core/format/format_kind.hpp"

namespace lacuna {

constexpr Index ggml_block = 32;

/// 1 / d, or 0 where ggml has 0 (d = 0) or an infinity.
inline float ggml_inverse(float d) {
  const float inverse = d != 0 ? 1.0F / d : 0.0F;
  return std::isfinite(inverse) ? inverse : 0.0F;
}

/// Code j of 32 four-bit codes: the low nibbles hold the first half of the block, the high ones the second.
inline unsigned ggml_nibble(const std::byte* codes, Index j) {
  return static_cast<unsigned>(codes[j % 16]) >> (j / 16 * 4) & 0xF;
}

/// codes[j] = q(j) for 32 four-bit codes.
template <class Q>
void ggml_store_nibbles(std::byte* codes, const Q& q) {
  for (Index j = 0; j < ggml_block / 2; ++j)
    codes[j] = static_cast<std::byte>(static_cast<unsigned>(q(j)) | static_cast<unsigned>(q(j + ggml_block / 2)) << 4);
}

/// Block: stored size in `scale_bytes` and `code_bytes`; encode, decode, bound over one block, lowest / highest decoded
/// value of a stored block and whether its f16 numbers are at their largest.
template <class Block>
class GgmlCodec final : public RowCodec {
 public:
  StoredBytes bytes(const RowShape& shape) const override {
    return {.codes = blocks(shape) * Block::code_bytes, .scales = blocks(shape) * Block::scale_bytes};
  }
  Index blocks(const RowShape& shape) const override { return shape.width / ggml_block; }

  void encode(const RowShape& shape, const double* row, std::byte* stored, const EncodeReport& report) const override {
    *report.saturated = 0;
    *report.flushed = 0;
    float x[ggml_block];
    float decoded[ggml_block];
    for (Index b = 0; b < blocks(shape); ++b, row += ggml_block, stored += block_bytes) {
      report.block_amax[b] = 0;
      for (Index j = 0; j < ggml_block; ++j) {
        x[j] = static_cast<float>(std::clamp<double>(row[j], -largest, largest));
        report.block_amax[b] = std::max(report.block_amax[b], std::fabs(row[j]));
      }
      Block::encode(x, stored);
      Block::decode(stored, decoded);
      const double low = Block::lowest(stored);
      const double high = Block::highest(stored);
      const double slack = 0x1p-10 * (std::fabs(low) + std::fabs(high));
      for (Index j = 0; j < ggml_block; ++j) {
        const bool is_flushed = row[j] != 0 && decoded[j] == 0;
        *report.flushed += is_flushed;
        *report.saturated += !is_flushed && (row[j] < low - slack || row[j] > high + slack);
      }
    }
  }

  void decode(const RowShape& shape, const std::byte* stored, double* row) const override {
    float decoded[ggml_block];
    for (Index b = 0; b < blocks(shape); ++b, row += ggml_block, stored += block_bytes) {
      Block::decode(stored, decoded);
      std::copy_n(decoded, ggml_block, row);
    }
  }

  void error_bound(const RowShape& shape, const std::byte* stored, const double* block_amax,
                   double* bound) const override {
    float decoded[ggml_block];
    for (Index b = 0; b < blocks(shape); ++b, bound += ggml_block, stored += block_bytes) {
      Block::bound(stored, bound);
      if (!Block::is_at_largest(stored)) continue;
      Block::decode(stored, decoded);
      for (Index j = 0; j < ggml_block; ++j)
        bound[j] = (block_amax != nullptr ? block_amax[b] : INFINITY) + std::fabs(static_cast<double>(decoded[j]));
    }
  }

 private:
  static constexpr Index block_bytes = Block::scale_bytes + Block::code_bytes;
  static constexpr double largest = static_cast<double>(std::numeric_limits<float>::max());
};

}  // namespace lacuna
