#include "analysis/table.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

Table small_table() {
  using enum TableColumn::Detail;
  Table table;
  table.title = "title";
  table.columns = {{.name = "path", .left = true},
                   {.name = "mass"},
                   {.name = "rate", .detail = with_interval},
                   {.name = "more", .detail = full_only}};
  table.rows.push_back({"top_k", Estimate{0.01234567, {0.01, 0.02}}, Estimate{0.5, {0.25, 1}}, 3.0});
  table.rows.push_back({"a|b, \"c\"", Estimate{1, {0.5, kInfinity}}, Estimate{}, kNan});
  return table;
}

TEST(Table, BriefLeavesOutIntervalsAndWhatOnlyTheFullOneHas) {
  EXPECT_EQ(format_table(small_table(), TableStyle::brief),
            "title\n"
            "path        mass           rate\n"
            "top_k     0.0123  0.5 [0.25, 1]\n"
            "a|b, \"c\"       1              -\n");
}

TEST(Table, TextHasEveryInterval) {
  EXPECT_EQ(format_table(small_table(), TableStyle::text),
            "title\n"
            "path                     mass           rate  more\n"
            "top_k     0.0123 [0.01, 0.02]  0.5 [0.25, 1]     3\n"
            "a|b, \"c\"         1 [0.5, inf]              -     -\n");
}

TEST(Table, CsvHoldsAllDigitsAndIntervalsAsColumns) {
  EXPECT_EQ(format_table(small_table(), TableStyle::csv),
            "# title\n"
            "path,mass,mass low,mass high,rate,rate low,rate high,more\n"
            "top_k,0.01234567,0.01,0.02,0.5,0.25,1,3\n"
            "\"a|b, \"\"c\"\"\",1,0.5,inf,,,,\n");
}

TEST(Table, MarkdownEscapesBars) {
  EXPECT_EQ(format_table(small_table(), TableStyle::markdown),
            "**title**\n\n"
            "| path | mass | rate | more |\n"
            "| --- | ---: | ---: | ---: |\n"
            "| top_k | 0.0123 [0.01, 0.02] | 0.5 [0.25, 1] | 3 |\n"
            "| a\\|b, \"c\" | 1 [0.5, inf] | - | - |\n");
}

TEST(NumberFormats, OfBytesHaveBinaryAndDecimalPrefixes) {
  EXPECT_EQ(binary_bytes(1536), "1536 B");
  EXPECT_EQ(binary_bytes(24.5 * 1024), "24.5 KiB");
  EXPECT_EQ(decimal_bytes(0), "0 B");
  EXPECT_EQ(decimal_bytes(999.5), "999.5 B");
  EXPECT_EQ(decimal_bytes(1000), "1.000 kB");
  EXPECT_EQ(decimal_bytes(17'179'869'184), "17.180 GB");
  EXPECT_EQ(decimal_bytes(3.5e15), "3500.000 TB");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(1e-20), "1e-20");
}

}  // namespace
}  // namespace lacuna
