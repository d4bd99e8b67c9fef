#include "analysis/report/figure_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "analysis/report/number_text.hpp"
#include "analysis/report/page.hpp"
#include "analysis/report/thinning.hpp"

namespace lacuna {
namespace {

RC_GTEST_PROP(FigureTable, ItsDecimalsReadBackAsTheSameDouble, (std::vector<std::uint64_t> bits)) {
  FigureTable table(std::vector<FigureColumn>{{"x", "1"}});
  std::vector<double> values;
  for (const std::uint64_t word : bits) {
    double value;
    std::memcpy(&value, &word, sizeof value);
    values.push_back(value);
    table.add({value});
  }
  const auto read = nlohmann::json::parse(table.json().dump());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& number = read["columns"][0]["values"][i];
    if (std::isnan(values[i]))
      RC_ASSERT(number.is_null());
    else if (std::isinf(values[i]))
      RC_ASSERT(number == (values[i] > 0 ? "inf" : "-inf"));
    else
      RC_ASSERT(number.get<double>() == values[i]);
  }
}

TEST(FigureTable, TextsAreCodesIntoLevels) {
  FigureTable table(std::vector<FigureColumn>{{"path"}, {"x"}});
  table.add({std::string("a"), 1.0});
  table.add({std::string("b"), 2.0});
  EXPECT_EQ(table.add({std::string("a"), 0.5}), 2);
  EXPECT_EQ(table.json().dump(),
            R"({"columns":[{"name":"path","levels":["a","b"],"codes":[0,1,0]},{"name":"x","values":[1,2,0.5]}]})");
}

TEST(Thinning, KeepsTheFirstAndTheLast) {
  for (std::int64_t count = 1; count < 60; ++count)
    for (std::int64_t most = 2; most < 12; ++most) {
      const std::vector<std::int64_t> kept = evenly_spread(count, most);
      EXPECT_EQ(kept.size(), std::min(count, most));
      EXPECT_EQ(kept.front(), 0);
      EXPECT_EQ(kept.back(), count - 1);
      EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
      EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
    }
}

TEST(NumberText, IsWhatPeopleWrite) {
  EXPECT_EQ(brief_number(1293.1), "1,293");
  EXPECT_EQ(brief_number(0.0437), "0.0437");
  EXPECT_EQ(brief_number(std::nan("")), "none");
  EXPECT_EQ(brief_bytes(331040), "323 KiB");
  EXPECT_EQ(brief_bytes(890), "890 B");
  EXPECT_EQ(brief_binary(131072), "128 Ki");
  EXPECT_EQ(long_number(3514.25), "3,514.25");
  EXPECT_EQ(long_number(3112960), "3,112,960");
  EXPECT_EQ(power_of_ten(-12), "10⁻¹²");
  EXPECT_EQ(power_of_ten(4), "10,000");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(coordinate(-0.04), "0");
}

TEST(Page, EscapesWhatAFileSays) {
  Section section;
  section.name = "a<b>.h5";
  section.question = "<script>alert(1)</script>";
  Figure figure;
  figure.title = "t";
  figure.table = FigureTable(std::vector<FigureColumn>{{"path"}});
  figure.table.add({std::string("</script><script>alert(2)</script>")});
  section.figures.emplace_back("a_figure", std::move(figure));
  const std::string page = html_page({section});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("a&lt;b&gt;.h5"), std::string::npos);
  EXPECT_NE(page.find("<\\/script>"), std::string::npos) << "the data ends where its element ends";
}

}  // namespace
}  // namespace lacuna
