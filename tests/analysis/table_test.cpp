#include "analysis/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

Table small_table() {
  using enum TableColumn::Detail;
  Table table;
  table.title = "title";
  table.columns = {{.name = "path", .key = true},
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

TEST(Table, TextHasIntervalsAndWideAlsoWhatOnlyTheFullOneHas) {
  EXPECT_EQ(format_table(small_table(), TableStyle::text),
            "title\n"
            "path                     mass           rate\n"
            "top_k     0.0123 [0.01, 0.02]  0.5 [0.25, 1]\n"
            "a|b, \"c\"         1 [0.5, inf]              -\n");
  EXPECT_EQ(format_table(small_table(), TableStyle::wide),
            "title\n"
            "path                     mass           rate  more\n"
            "top_k     0.0123 [0.01, 0.02]  0.5 [0.25, 1]     3\n"
            "a|b, \"c\"         1 [0.5, inf]              -     -\n");
  EXPECT_EQ(further_columns(small_table()), std::vector<std::string>{"more"});
}

TEST(Table, LeavesOutColumnsWithoutAnythingAndIntervalsThatReadAsTheValue) {
  Table table;
  table.columns = {{.name = "path", .key = true}, {.name = "swept", .key = true}, {.name = "none"}, {.name = "mass"}};
  table.rows = {{"a", "", kNan, Estimate{0.1, {0.1, 0.1}}}, {"b", "", kNan, Estimate{0.12301, {0.12299, 0.12302}}}};
  EXPECT_EQ(format_table(table, TableStyle::text),
            "path   mass\n"
            "a       0.1\n"
            "b     0.123\n");
  EXPECT_EQ(format_table(table, TableStyle::csv),
            "path,swept,none,mass,mass low,mass high\n"
            "a,,,0.1,0.1,0.1\n"
            "b,,,0.12301,0.12299,0.12302\n");
  table.rows.front()[2] = kInfinity;
  EXPECT_NE(format_table(table, TableStyle::text).find("none"), std::string::npos);
}

TEST(Table, BreaksLongNamesOfColumnsBehindSpacesSlashesAndUnderscores) {
  Table table;
  table.columns = {{.name = "replay_length", .key = true}, {.name = "of a full prefill"}, {.name = "bytes/key"}};
  table.rows = {{"1", 0.5, 256.0}};
  EXPECT_EQ(format_table(table, TableStyle::brief),
            "            of a\n"
            "replay_     full  bytes/\n"
            "length   prefill     key\n"
            "1            0.5     256\n");
}

TEST(Table, SetsTheNameOfAGroupOverItsColumns) {
  Table table;
  table.columns = {{.name = "n", .key = true},
                   {.name = "KL", .group = "first"},
                   {.name = "cost", .group = "first"},
                   {.name = "KL", .group = "second one"}};
  table.rows = {{"1", 0.5, 2.0, 0.25}};
  EXPECT_EQ(format_table(table, TableStyle::brief),
            "   - first -  - second one -\n"
            "n   KL  cost              KL\n"
            "1  0.5     2            0.25\n");
  EXPECT_EQ(format_table(table, TableStyle::csv),
            "n,first KL,first cost,second one KL\n"
            "1,0.5,2,0.25\n");
}

TEST(Table, WiderThanATerminalBecomesSeveralWithTheSameKeyAndWholeGroups) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    Table table;
    table.columns = {{.name = "key", .key = true}};
    table.rows = {{"name"}, {"other name"}};
    const int columns = 1 + random() % 30;
    for (int c = 0; c < columns; ++c) {
      table.columns.push_back({.name = fmt::format("c{}", c), .group = fmt::format("g{}", c / 3)});
      for (auto& row : table.rows) row.emplace_back(std::string(1 + random() % 20, 'x') + fmt::format("_{}", c));
    }
    const std::string text = format_table(table, TableStyle::text);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kTextWidth) << text;
    for (int c = 0; c < columns; ++c) {
      const std::size_t first = text.find(fmt::format("x_{}", c));
      EXPECT_NE(first, std::string::npos) << c;
    }
    for (int g = 0; g <= (columns - 1) / 3; ++g) {  // each once: no group is broken
      const std::string name = fmt::format(" g{} ", g);
      EXPECT_NE(text.find(name), std::string::npos);
      EXPECT_EQ(text.find(name), text.rfind(name)) << text;
    }
    std::istringstream wide(format_table(table, TableStyle::wide));
    int count = 0;
    for (std::string line; std::getline(wide, line);) ++count;
    EXPECT_EQ(count, 4);  // groups, names, two rows
  }
}

TEST(Table, BreaksAGroupThatIsWiderThanALine) {
  Table table;
  table.columns = {{.name = "key", .key = true}};
  table.rows = {{"k"}};
  for (int c = 0; c < 3; ++c) {
    table.columns.push_back({.name = "c", .group = "g"});
    table.rows.front().emplace_back(std::string(70, 'x'));
  }
  const std::string text = format_table(table, TableStyle::text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3 * 3 + 2);
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
  EXPECT_EQ(short_decimal_bytes(999.75), "999.8 B");
  EXPECT_EQ(short_decimal_bytes(549'755'813'888), "549.8 GB");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(1e-20), "1e-20");
  EXPECT_EQ(above_rounding(1e-32), "<1e-15");
  EXPECT_EQ(above_rounding(0), "0");
  EXPECT_EQ(above_rounding(1e-15), "1e-15");
  EXPECT_EQ(signed_number(-1.8e-15), "0.0000");
  EXPECT_EQ(signed_number(-0.00006), "-0.0001");
  EXPECT_EQ(signed_number(0.25), "+0.2500");
}

}  // namespace
}  // namespace lacuna
