// Horizontal bars as SVG: stacked shares or amounts, a row each, with a text behind the bar.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/plot.hpp"

namespace lacuna {

struct BarSegment {
  double length = 0;
  std::string colour;   ///< CSS class: of a kind (k0 to k5) or of a series (s0 to s7)
  std::size_t row = 0;  ///< of the figure's table
};

struct Bar {
  std::string label;
  std::vector<BarSegment> segments;                       ///< from the left
  std::string text;                                       ///< behind the bar
  int series = -1;                                        ///< index of the series for highlighting; -1: none
  double low = std::numeric_limits<double>::quiet_NaN();  ///< an interval around the end of the bar
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// A segment's colours with their names, as one legend.
struct Kind {
  std::string name;
  std::string colour;  ///< CSS class
};

class Bars {
 public:
  /// Lengths from 0 on a linear axis; `title` has the unit.
  Bars(std::string title, std::vector<Bar> bars);
  double height(bool narrow) const;
  std::string svg(const Extent& extent, const std::string& alt) const;

 private:
  std::string title_;
  std::vector<Bar> bars_;
};

/// Swatches with names.
std::string kind_legend(const std::vector<Kind>& kinds);

}  // namespace lacuna
