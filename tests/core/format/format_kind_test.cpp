#include "core/format/format_kind.hpp"

#include <algorithm>

#include "core/format/every_format.hpp"

namespace lacuna {
namespace {

TEST(FormatContract, NamesAreThoseOfTheContract) {
  std::vector<std::string> expected = format_names();
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> names;
  for (const FormatKind& kind : FormatRegistry::instance().kinds()) names.push_back(kind.name);
  EXPECT_EQ(names, expected);
}

TEST(FormatContract, BytesOfARowOf128Channels) {
  const std::vector<std::pair<std::string, double>> expected = {{"exact", 1024},
                                                                {"f32", 512},
                                                                {"f16", 256},
                                                                {"bf16", 256},
                                                                {"fp8_e4m3_f32_128", 132},
                                                                {"fp8_e4m3_ue8m0_64", 130},
                                                                {"fp8_e4m3_ue8m0_32", 132},
                                                                {"mxfp8", 132},
                                                                {"mxfp4", 68},
                                                                {"fp4_ue8m0_32", 68},
                                                                {"fp4_e4m3_16", 72},
                                                                {"nvfp4", 76},
                                                                {"int8_token", 132},
                                                                {"int4_channel", 80},
                                                                {"int8_channel", 144},
                                                                {"q8_0", 136},
                                                                {"q4_0", 72},
                                                                {"q4_1", 80}};
  ASSERT_EQ(expected.size(), format_names().size());
  for (const auto& [name, bytes] : expected) {
    const FormatKind& kind = FormatRegistry::instance().at(name);
    EXPECT_EQ(static_cast<double>(kind.group_bytes({.width = 128})) / kind.rows_per_group, bytes) << name;
    EXPECT_FALSE(kind.sentence.empty());
  }
}

class EveryFormat : public testing::TestWithParam<std::string> {
 protected:
  const FormatKind& kind() const { return FormatRegistry::instance().at(GetParam()); }
};
class EveryFormatContract : public EveryFormat {};

TEST_P(EveryFormatContract, RowsNeverShareABlock) {
  // The rows before and after a group hold NaN: one read of them would reach its codes, its scales or its amax.
  for (const RowShape& shape : shapes_of(kind())) {
    const Index group = kind().rows_per_group * shape.width;
    const std::vector<double> middle = make_rows(gaussian_rows(), group, 4, 1);
    const EncodedGroup alone(GetParam(), shape, middle);
    std::vector<double> x(group, NAN);
    x.insert(x.end(), middle.begin(), middle.end());
    x.insert(x.end(), group, NAN);
    std::vector<std::byte> stored(alone.stored.size());
    std::vector<Index> counts(2 * kind().rows_per_group);
    std::vector<double> amax(alone.block_amax.size());
    kind().encode(shape, x.data() + group, stored.data(),
                  {counts.data(), counts.data() + kind().rows_per_group, amax.data()});
    EXPECT_EQ(stored, alone.stored);
    EXPECT_EQ(amax, alone.block_amax);
  }
}

TEST_P(EveryFormatContract, BlocksOfARowDoNotMix) {
  // A huge element leaves other blocks of its row as they are, unless the whole row shares a scale.
  const Index block = std::max<Index>(kind().block, 1);
  const Index width = 2 * block;
  if (kind().block == 0 || GetParam() == "nvfp4") return;
  const std::vector<double> x = make_rows(gaussian_rows(), kind().rows_per_group * width, 8, 1);
  std::vector<double> with_outlier = x;
  with_outlier[0] = 1000;
  const std::vector<double> decoded = EncodedGroup(GetParam(), {.width = width}, x).decoded();
  const std::vector<double> beside = EncodedGroup(GetParam(), {.width = width}, with_outlier).decoded();
  for (Index r = 0; r < kind().rows_per_group; ++r)
    for (Index c = block; c < width; ++c) EXPECT_EQ(decoded[r * width + c], beside[r * width + c]) << r << " " << c;
}

TEST_P(EveryFormatContract, BytesAreWrittenInFullAndNoFurther) {
  for (const RowShape& shape : shapes_of(kind())) {
    const Index bytes = kind().group_bytes(shape);
    const std::vector<double> x = make_rows(gaussian_rows(), kind().rows_per_group * shape.width, 9, 1);
    std::vector<Index> counts(2 * kind().rows_per_group);
    std::vector<double> amax(kind().codec->blocks(shape) + 1, -7);
    const auto encoded_over = [&](std::byte before) {
      std::vector<std::byte> stored(bytes + 1, before);
      kind().encode(shape, x.data(), stored.data(),
                    {counts.data(), counts.data() + kind().rows_per_group, amax.data()});
      EXPECT_EQ(stored.back(), before);
      stored.pop_back();
      return stored;
    };
    EXPECT_EQ(encoded_over(std::byte{0}), encoded_over(std::byte{0xFF}));
    EXPECT_EQ(amax.back(), -7);
  }
}

TEST_P(EveryFormatContract, CountsClippedAndFlushedElements) {
  const RowShape shape{.width = 128};
  std::vector<double> x(kind().rows_per_group * shape.width, 0.0);
  EncodedGroup group(GetParam(), shape, x);
  EXPECT_EQ(group.saturated[0] + group.flushed[0], 0) << "zeros are neither";
  if (GetParam() == "exact") return;
  const Index row = kind().rows_per_group - 1;
  x[0] = 1, x[row * 128 + 0] = 1;
  x[row * 128 + 17] = 1e-60;
  const EncodedGroup flushed(GetParam(), shape, x);
  EXPECT_EQ(flushed.decoded()[row * 128 + 17], 0);
  EXPECT_EQ(flushed.flushed[row], 1);
  EXPECT_EQ(flushed.saturated[row], 0);
}

TEST_P(EveryFormatContract, ErrorOfRandomRowsIsNotZero) {
  if (GetParam() == "exact") return;
  const RowShape shape{.width = 128};
  const std::vector<double> x = make_rows(gaussian_rows(), kind().rows_per_group * shape.width, 6, 1);
  const std::vector<double> decoded = EncodedGroup(GetParam(), shape, x).decoded();
  Index changed = 0;
  for (std::size_t i = 0; i < x.size(); ++i) changed += decoded[i] != x[i];
  EXPECT_GT(changed, static_cast<Index>(x.size()) / 2);
}

INSTANTIATE_TEST_SUITE_P(Every, EveryFormatContract, testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

TEST(FormatFaults, WidthsThatDoNotFit) {
  const auto fault = [](const std::string& name, const RowShape& shape) {
    return FormatRegistry::instance().at(name).check(shape).value_or("fits");
  };
  EXPECT_EQ(fault("mxfp4", {.width = 100}), "width 100 is not divisible by the block of 32");
  EXPECT_EQ(fault("fp4_e4m3_16", {.width = 120}), "width 120 is not divisible by the block of 16");
  EXPECT_EQ(fault("fp8_e4m3_ue8m0_64", {.width = 96, .exact_tail = 64}),
            "width 96 without its exact tail of 64 is not divisible by the block of 64");
  EXPECT_EQ(fault("fp8_e4m3_ue8m0_64", {.width = 64, .exact_tail = 64}),
            "an exact tail of 64 channels leaves none of the 64 to encode");
  EXPECT_EQ(fault("mxfp8", {.width = 96, .exact_tail = 64}), "mxfp8 has no exact tail");
  EXPECT_EQ(fault("f16", {.width = 0}), "width 0 holds no channel");
  EXPECT_EQ(fault("exact", {.width = 3, .source_bytes = 2}), "elements of 2 bytes are neither f32 nor f64");
  EXPECT_EQ(fault("fp8_e4m3_f32_128", {.width = 576, .exact_tail = 64}), "fits");
  for (const std::string name : {"exact", "f32", "f16", "bf16", "int8_token", "int4_channel", "int8_channel"})
    EXPECT_EQ(fault(name, {.width = 61}), "fits") << name;
}

class EveryFormatFaults : public EveryFormat {};

TEST_P(EveryFormatFaults, NanAndInfinityAreRejectedBeforeAnythingIsWritten) {
  const RowShape shape{.width = 128};
  for (const double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    std::vector<double> x(kind().rows_per_group * shape.width, 1.0);
    x.back() = bad;
    std::vector<std::byte> stored(kind().group_bytes(shape), std::byte{0x5A});
    const std::vector<std::byte> before = stored;
    try {
      kind().encode(shape, x.data(), stored.data(), {});
      ADD_FAILURE() << "stored " << bad;
    } catch (const InputError& error) {
      const std::string where = kind().rows_per_group == 1 ? "channel 127 is" : "channel 127 of row 31 of its group is";
      EXPECT_NE(std::string(error.what()).find(where), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(GetParam()), std::string::npos) << error.what();
    }
    EXPECT_EQ(stored, before);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, EveryFormatFaults, testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace lacuna
