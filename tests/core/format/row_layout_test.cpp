#include "core/format/row_layout.hpp"

#include "core/format/every_format.hpp"

namespace lacuna {
namespace {

const RowLayout& layout(const std::string& name) { return RowLayoutRegistry::instance().at(name); }

TEST(RowLayout, RowBytesComeOutOfTheFields) {
  const std::vector<std::pair<std::string, Index>> published = {{"v32_mla_row", 656},    {"v4_main_row", 584},
                                                                {"v41_window_row", 528}, {"v41_main_row", 288},
                                                                {"v32_index_row", 132},  {"fp4_index_row", 68}};
  for (const auto& [name, bytes] : published) EXPECT_EQ(layout(name).row_bytes(), bytes) << name;
  EXPECT_EQ(RowLayoutRegistry::instance().kinds().size(), published.size());
  EXPECT_EQ(layout("v41_main_row").row_bytes() + layout("fp4_index_row").row_bytes(), 356);
}

TEST(RowLayout, FieldsStandWhereTheKernelsReadThem) {
  using enum RowField;
  EXPECT_EQ(layout("v32_mla_row").offset(scales), 512);
  EXPECT_EQ(layout("v32_mla_row").offset(tail), 528);
  EXPECT_EQ(layout("v4_main_row").offset(tail), 448);
  EXPECT_EQ(layout("v4_main_row").offset(scales), 576);
  EXPECT_EQ(layout("v4_main_row").offset(padding), 583);
  EXPECT_EQ(layout("v41_window_row").offset(scales), 512);
  EXPECT_EQ(layout("v41_main_row").offset(scales), 256);
  EXPECT_EQ(layout("v32_index_row").offset(scales), 128);
  EXPECT_EQ(layout("fp4_index_row").offset(scales), 64);
  EXPECT_THROW(layout("fp4_index_row").offset(tail), InternalError);
}

TEST(RowLayout, UnpackingAPackedRowGivesTheStoredBytes) {
  for (const RowLayout& row_layout : RowLayoutRegistry::instance().kinds()) {
    const RowShape& shape = row_layout.shape;
    const EncodedGroup group(row_layout.format, shape, make_rows(gaussian_rows(), shape.width, 1, 3));
    std::vector<std::byte> row(row_layout.row_bytes() + 1, std::byte{0xAA});
    pack(row_layout, group.stored.data(), row.data());
    EXPECT_EQ(row.back(), std::byte{0xAA}) << "written past the row";
    std::vector<std::byte> stored(group.stored.size());
    unpack(row_layout, row.data(), stored.data());
    EXPECT_EQ(stored, group.stored) << row_layout.name;
  }
}

TEST(RowLayout, BytesByHand) {
  // V4.1 main: all zero but channel 0 = 6, channel 1 = -0.5 (scale 1 = 0x38), channel 511 = 3 (scale 0.5 = 0x30)
  std::vector<double> x(512, 0.0);
  x[0] = 6, x[1] = -0.5, x[511] = 3;
  const EncodedGroup main("fp4_e4m3_16", {.width = 512}, x);
  std::vector<std::byte> row(288);
  pack(layout("v41_main_row"), main.stored.data(), row.data());
  EXPECT_EQ(row[0], std::byte{0x97}) << "even channel in the low nibble";
  EXPECT_EQ(row[255], std::byte{0x70});
  EXPECT_EQ(row[256], std::byte{0x38});
  EXPECT_EQ(row[257], std::byte{0x01}) << "a block of zeros has the scale 2^-9";
  EXPECT_EQ(row[287], std::byte{0x30});

  // V4: channel 0 = 448 (scale 1 = 0x7F), first RoPE channel 1.0 = bf16 0x3F80, last 1 + 2^-7 = 0x3F81
  std::vector<double> y(512, 0.0);
  y[0] = 448, y[448] = 1, y[511] = 1 + 0x1p-7;
  const EncodedGroup state("fp8_e4m3_ue8m0_64", {.width = 512, .exact_tail = 64}, y);
  row.resize(584);
  pack(layout("v4_main_row"), state.stored.data(), row.data());
  EXPECT_EQ(row[0], std::byte{0x7E});
  EXPECT_EQ(row[448], std::byte{0x80});
  EXPECT_EQ(row[449], std::byte{0x3F});
  EXPECT_EQ(row[574], std::byte{0x81});
  EXPECT_EQ(row[576], std::byte{0x7F});
  EXPECT_EQ(row[577], std::byte{127 - 22}) << "zeros: 1e-4 / 448 is above 2^-23";
  EXPECT_EQ(row[583], std::byte{0});

  // V3.2 index key: X = 448 / 448 = 1.0f = 0x3F800000, little-endian
  std::vector<double> z(128, 0.0);
  z[127] = -448;
  const EncodedGroup key("fp8_e4m3_f32_128", {.width = 128}, z);
  row.resize(132);
  pack(layout("v32_index_row"), key.stored.data(), row.data());
  EXPECT_EQ(row[127], std::byte{0xFE});
  EXPECT_EQ(row[130], std::byte{0x80});
  EXPECT_EQ(row[131], std::byte{0x3F});
}

}  // namespace
}  // namespace lacuna
