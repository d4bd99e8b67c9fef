#include "core/format/row_layout.hpp"

#include <algorithm>

namespace lacuna {
namespace {

/// Where the codec keeps a field, and its size.
struct Place {
  Index offset = 0;
  Index bytes = 0;
};

Place in_codec(const RowLayout& layout, RowField field) {
  const StoredBytes bytes = layout.kind().codec->bytes(layout.shape);
  switch (field) {
    case RowField::codes:
      return {0, bytes.codes};
    case RowField::scales:
      return {bytes.codes, bytes.scales};
    case RowField::tail:
      return {bytes.codes + bytes.scales, bytes.tail};
    case RowField::padding:
      return {0, layout.padding};
  }
  throw InternalError("a field of no layout");
}

bool add(RowLayout layout) { return RowLayoutRegistry::instance().add(std::move(layout)); }

using enum RowField;
const bool registered[] = {
    add({.name = "v32_mla_row",
         .sentence = "DeepSeek-V3.2's latent: FP8 with f32 scales, RoPE channels in bf16",
         .format = "fp8_e4m3_f32_128",
         .shape = {.width = 576, .exact_tail = 64},
         .fields = {codes, scales, tail}}),
    add({.name = "v4_main_row",
         .sentence = "DeepSeek-V4's shared state: FP8 with power-of-two scales, RoPE channels in bf16",
         .format = "fp8_e4m3_ue8m0_64",
         .shape = {.width = 512, .exact_tail = 64},
         .fields = {codes, tail, scales, padding},
         .padding = 1}),
    add({.name = "v41_window_row",
         .sentence = "DeepSeek-V4.1's window: FP8 with power-of-two scales",
         .format = "fp8_e4m3_ue8m0_32",
         .shape = {.width = 512},
         .fields = {codes, scales}}),
    add({.name = "v41_main_row",
         .sentence = "DeepSeek-V4.1's compressed entry: FP4 with E4M3 scales",
         .format = "fp4_e4m3_16",
         .shape = {.width = 512},
         .fields = {codes, scales}}),
    add({.name = "v32_index_row",
         .sentence = "DeepSeek-V3.2's index key: FP8 with an f32 scale",
         .format = "fp8_e4m3_f32_128",
         .shape = {.width = 128},
         .fields = {codes, scales}}),
    add({.name = "fp4_index_row",
         .sentence = "the index key of DeepSeek-V4 and V4.1: FP4 with power-of-two scales",
         .format = "fp4_ue8m0_32",
         .shape = {.width = 128},
         .fields = {codes, scales}}),
};

}  // namespace

Index RowLayout::row_bytes() const {
  Index bytes = 0;
  for (const RowField field : fields) bytes += in_codec(*this, field).bytes;
  return bytes;
}

Index RowLayout::offset(RowField field) const {
  Index bytes = 0;
  for (const RowField before : fields) {
    if (before == field) return bytes;
    bytes += in_codec(*this, before).bytes;
  }
  throw InternalError(fmt::format("{} has no such field", name));
}

void pack(const RowLayout& layout, const std::byte* stored, std::byte* row) {
  for (const RowField field : layout.fields) {
    const Place place = in_codec(layout, field);
    if (field == RowField::padding)
      std::fill_n(row, place.bytes, std::byte{0});
    else
      std::copy_n(stored + place.offset, place.bytes, row);
    row += place.bytes;
  }
}

void unpack(const RowLayout& layout, const std::byte* row, std::byte* stored) {
  for (const RowField field : layout.fields) {
    const Place place = in_codec(layout, field);
    if (field != RowField::padding) std::copy_n(row, place.bytes, stored + place.offset);
    row += place.bytes;
  }
}

}  // namespace lacuna
