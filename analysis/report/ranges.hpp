// Rows of ranges on one logarithmic axis as SVG: a thin line, a thick one on it, and a mark.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "analysis/report/plot.hpp"

namespace lacuna {

struct Range {
  std::string label;
  Series series;
  double mark = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();  ///< thin line
  double high = std::numeric_limits<double>::quiet_NaN();
  double box_low = std::numeric_limits<double>::quiet_NaN();  ///< thick line
  double box_high = std::numeric_limits<double>::quiet_NaN();
  std::string text = {};  ///< at the right
  std::size_t row = 0;    ///< of the figure's table
};

class Ranges {
 public:
  Ranges(Axis axis, std::vector<Range> ranges);
  double height(bool narrow) const;
  std::string svg(const Extent& extent, const std::string& alt) const;

 private:
  Axis axis_;
  std::vector<Range> ranges_;
};

}  // namespace lacuna
