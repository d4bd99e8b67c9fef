// Drawings: places, classes and texts of marks, bars and maps, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <regex>

#include "analysis/report/bars.hpp"
#include "analysis/report/heat_map.hpp"
#include "analysis/report/plot.hpp"

namespace lacuna {
namespace {

std::vector<std::vector<std::string>> matches(const std::string& text, const std::string& pattern) {
  std::vector<std::vector<std::string>> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression); at != std::sregex_iterator(); ++at) {
    found.emplace_back();
    for (std::size_t i = 1; i < at->size(); ++i) found.back().push_back((*at)[i].str());
  }
  return found;
}

const Series kSeries{"path", 1, false};

TEST(Plot, PutsMarksWhereTheAxesSay) {
  Plot plot({528, 330}, Axis::linear_exactly("x", 0, 10), Axis::linear_exactly("y", 0, 1));
  plot.marks(kSeries, {{0, 0, 7}, {10, 1, 8}, {5, 0.5, 9}});
  const auto marks = matches(plot.svg("alt"), "<use href=\"#m1\" x=\"([\\d.]+)\" y=\"([\\d.]+)\" data-r=\"(\\d)\"");
  ASSERT_EQ(marks.size(), 3);
  EXPECT_EQ(marks[0], (std::vector<std::string>{"52", "290", "7"})) << "the corner of the axes";
  EXPECT_EQ(marks[1], (std::vector<std::string>{"512", "24", "8"}));
  EXPECT_EQ(marks[2], (std::vector<std::string>{"282", "157", "9"})) << "the middle";
}

TEST(Plot, LeavesOutWhatIsNoNumber) {
  Plot plot({528, 330}, Axis::linear_exactly("x", 0, 10), Axis::linear_exactly("y", 0, 1));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  plot.marks(kSeries, {{nan, 0, 0}, {1, nan, 1}, {1, std::numeric_limits<double>::infinity(), 2}});
  plot.line(kSeries, {{0, 0, 0}, {1, nan, 1}, {2, 1, 2}, {3, 1, 3}});
  const std::string svg = plot.svg("alt");
  EXPECT_EQ(matches(svg, "<use").size(), 0);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(matches(svg, "class=\"line s1\" data-s=\"1\" d=\"(M[\\d. ]+M[\\d. ]+L[\\d. ]+)\"").size(), 1)
      << "the pen is lifted at a gap";
}

TEST(Plot, DirectLabelsNeverOverlap) {
  Plot plot({528, 330}, Axis::linear_exactly("x", 0, 1), Axis::linear_exactly("y", 0, 1), {kSeries});
  for (int i = 0; i < 18; ++i) plot.label({"p", i, false}, {1, 0.02 * (i % 3), 0});
  std::vector<double> y;
  for (const auto& label : matches(plot.svg("alt"), "class=\"dl [^>]* y=\"([\\d.]+)\""))
    y.push_back(std::stod(label[0]));
  ASSERT_EQ(y.size(), 18);
  std::sort(y.begin(), y.end());
  for (std::size_t i = 1; i < y.size(); ++i) EXPECT_GE(y[i] - y[i - 1], 12.9);
  EXPECT_LE(y.back(), 300) << "none below the axes";
}

TEST(Plot, SaysInWordsWhatItShowsAndEscapesIt) {
  Plot plot({344, 300}, Axis::linear_exactly("a < b", 0, 1), Axis::linear_exactly("y", 0, 1));
  const std::string svg = plot.svg("error \"e\" & bound <b>");
  EXPECT_NE(svg.find("aria-label=\"error &quot;e&quot; &amp; bound &lt;b&gt;\""), std::string::npos);
  EXPECT_NE(svg.find("role=\"img\""), std::string::npos);
  EXPECT_NE(svg.find(">a &lt; b</text>"), std::string::npos);
  EXPECT_NE(svg.find("class=\"narrow\""), std::string::npos);
}

TEST(Bars, StackSegmentsEndToEndInProportion) {
  Bar bar;
  bar.label = "path";
  bar.segments = {{25, "k0", 3}, {0, "k1", 4}, {75, "k2", 5}};
  const std::string svg = Bars("share, %", {bar}).svg({528, 80}, "alt");
  const auto rects =
      matches(svg, "<rect class=\"(k\\d)\" x=\"([\\d.]+)\"[^>]* width=\"([\\d.]+)\"[^>]* data-r=\"(\\d)\"");
  ASSERT_EQ(rects.size(), 2) << "a share of 0 is not drawn";
  EXPECT_EQ(rects[0][3], "3");
  EXPECT_EQ(rects[1][3], "5");
  EXPECT_NEAR(std::stod(rects[1][2]) + 0.5, 3 * (std::stod(rects[0][2]) + 0.5), 0.3);
  EXPECT_NEAR(std::stod(rects[0][1]) + std::stod(rects[0][2]) + 0.5, std::stod(rects[1][1]), 0.11);
}

TEST(HeatMap, ClassesSplitTheRangeByRatio) {
  const std::vector<double> limits = class_limits({0, 1e-9, 1, std::nan("")});
  ASSERT_EQ(limits.size(), 8);
  EXPECT_NEAR(limits[0], std::pow(1e-6, 8.0 / 9), 1e-12)
      << "a millionth of the largest is the lowest that is told from 0";
  for (std::size_t i = 1; i < limits.size(); ++i) EXPECT_NEAR(limits[i] / limits[i - 1], limits[1] / limits[0], 1e-9);
  EXPECT_EQ(class_of(0, limits), 0);
  EXPECT_EQ(class_of(1, limits), 8);
  EXPECT_EQ(class_of(std::nan(""), limits), -1);
}

TEST(HeatMap, NumbersItsCellsFromTheFirstRowOfItsValues) {
  const HeatMap heat{
      "layer", "head", {"0", "1"}, {"3", "4", "5"}, {0, 1, 2, 3, std::nan(""), 5}, {1, 2, 3, 4, 5, 6, 7, 8}, 40};
  const std::string svg = heat.svg({528, heat.height(false)}, "alt");
  const auto cells = matches(svg, "<rect class=\"(h.)\"[^>]* data-r=\"(\\d+)\"");
  ASSERT_EQ(cells.size(), 6);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(cells[i][1], std::to_string(40 + i));
  EXPECT_EQ(cells[3][0], "h3");
  EXPECT_EQ(cells[4][0], "hx") << "what did not run is hatched";
}

TEST(Palette, KeepsANamesPlaceAndTellsFortyEightSeriesApart) {
  Palette palette;
  EXPECT_EQ(palette.series("a", false).index, 0);
  EXPECT_EQ(palette.series("b", true).index, 1);
  EXPECT_EQ(palette.series("a", true).index, 0);
  EXPECT_EQ(palette.series("b", true).label(), "b*");
  std::vector<std::string> looks;
  for (int i = 0; i < 48; ++i) {
    const Series series = palette.series(std::to_string(i), false);
    looks.push_back(Series{"", i, false}.colour() + Series{"", i, false}.mark());
    EXPECT_EQ(series.index, i + 2);
  }
  std::sort(looks.begin(), looks.end());
  EXPECT_EQ(std::unique(looks.begin(), looks.end()), looks.end());
}

}  // namespace
}  // namespace lacuna
