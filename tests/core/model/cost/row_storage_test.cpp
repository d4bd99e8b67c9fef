#include "core/model/cost/row_storage.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(RowStorage, ALayoutCostsItsPublishedBytes) {
  EXPECT_EQ(RowStorage("v32_mla_row").row(576).total, Rational(656));
  EXPECT_EQ(RowStorage("v32_mla_row").row(576).scales, Rational(16));
  EXPECT_EQ(RowStorage("v4_main_row").row(512).total, Rational(584));  // with its byte of padding
  EXPECT_EQ(RowStorage("v4_main_row").row(512).scales, Rational(7));
  EXPECT_EQ(RowStorage("v41_main_row").row(512).total, Rational(288));
  EXPECT_EQ(RowStorage("fp4_index_row").rows(10, 128).total, Rational(680));
  EXPECT_EQ(RowStorage("fp4_index_row").rows(10, 128).scales, Rational(40));
}

TEST(RowStorage, AFormatCostsByTheWidthOfTheRow) {
  EXPECT_EQ(RowStorage("bf16").row(576).total, Rational(1152));
  EXPECT_EQ(RowStorage("bf16").row(576).scales, Rational(0));
  EXPECT_EQ(RowStorage("exact").row(10).total, Rational(40));
  EXPECT_EQ(RowStorage("mxfp4").row(128).total, Rational(64 + 4));
  EXPECT_EQ(RowStorage("fp8_e4m3_f32_128").row(128).total, Rational(128 + 4));
}

// 32 rows of 4 channels: 32 bytes of 8-bit codes and an f16 zero and step to each channel.
TEST(RowStorage, AnIncompleteGroupStaysAsItIs) {
  const RowStorage storage("int8_channel");
  EXPECT_EQ(storage.row(4).total, Rational(4 * 36, 32));
  EXPECT_EQ(storage.rows(64, 4).total, Rational(2 * 4 * 36));
  EXPECT_EQ(storage.rows(67, 4).total, Rational(2 * 4 * 36 + 3 * 4 * 2));
  EXPECT_EQ(storage.rows(67, 4).scales, Rational(2 * 4 * 4));
  EXPECT_EQ(storage.rows(31, 4).total, Rational(31 * 4 * 2));
}

TEST(RowStorage, AWidthThatDoesNotFitIsNamed) {
  EXPECT_FALSE(RowStorage("v4_main_row").check(512).has_value());
  EXPECT_EQ(RowStorage("v4_main_row").check(576), "v4_main_row stores rows of 512 channels, and these have 576");
  EXPECT_TRUE(RowStorage("fp8_e4m3_f32_128").check(576).has_value());  // not whole blocks of 128
  EXPECT_FALSE(RowStorage("bf16").check(577).has_value());
}

TEST(RowStorage, AnUnknownNameGetsASuggestion) {
  try {
    RowStorage("v4_main_rwo");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "'v4_main_rwo' is neither a row layout nor a format; did you mean 'v4_main_row'?");
  }
}

TEST(RowStorage, EveryNameCanBeUsed) {
  for (const std::string& name : RowStorage::names()) EXPECT_NO_THROW(RowStorage{name}) << name;
}

}  // namespace
}  // namespace lacuna
