// How the caches under study lay the fields of one row out in memory, to the byte. A layout is a format, a shape and an
// order of fields; its size is the sum of their sizes, which come from the format's codec.
//
//   v32_mla_row     656 B   V3.2    512 E4M3 codes | 4 f32 scales | 64 bf16 RoPE channels
//   v4_main_row     584 B   V4      448 E4M3 codes | 64 bf16 RoPE channels | 7 E8M0 scales | 1 byte of padding
//   v41_window_row  528 B   V4.1    512 E4M3 codes | 16 E8M0 scales
//   v41_main_row    288 B   V4.1    256 B of E2M1 codes | 32 E4M3 scales
//   v32_index_row   132 B   V3.2    128 E4M3 codes | 1 f32 scale
//   fp4_index_row    68 B   V4, V4.1   64 B of E2M1 codes | 4 E8M0 scales
//
// Numbers are little-endian; of two E2M1 codes in a byte the one of the even channel is in the low nibble; padding is
// zero. In a page of V4 rows the kernels gather the scales (with their padding) behind the codes and tails of all rows:
// the same bytes in another order.
#pragma once

#include <vector>

#include "core/format/format_kind.hpp"

namespace lacuna {

enum class RowField { codes, scales, tail, padding };

struct RowLayout {
  std::string name = {};
  std::string sentence = {};
  std::string format = {};            ///< name of the format kind
  RowShape shape = {};                ///< channels of a row, and how many of them are the bf16 tail
  std::vector<RowField> fields = {};  ///< in the order in which they are stored
  Index padding = 0;                  ///< bytes of the field `padding`

  const FormatKind& kind() const { return FormatRegistry::instance().at(format); }
  Index row_bytes() const;
  /// Bytes before a field that the layout has.
  Index offset(RowField field) const;
};

using RowLayoutRegistry = Registry<RowLayout>;

/// From what the format's codec writes to a row of the layout, and back.
void pack(const RowLayout& layout,
          const std::byte* stored,  // [kind().group_bytes(shape)]
          std::byte* row);          // [row_bytes()]
void unpack(const RowLayout& layout,
            const std::byte* row,  // [row_bytes()]
            std::byte* stored);    // [kind().group_bytes(shape)]

}  // namespace lacuna
