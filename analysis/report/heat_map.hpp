// A heat map as SVG: rows and columns with labels, nine classes of a sequential scale.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/plot.hpp"

namespace lacuna {

/// Eight limits between nine classes, spread by ratio over the positive values (a value of 0 is in the lowest class).
std::vector<double> class_limits(const std::vector<double>& values);
/// 0 to 8; -1 for NaN.
int class_of(double value, const std::vector<double>& limits);

struct HeatMap {
  std::string row_title;                   ///< such as "layer"
  std::string column_title;                ///< such as "head"
  std::vector<std::string> row_labels;     ///< top to bottom
  std::vector<std::string> column_labels;  ///< left to right
  std::vector<double> values;              ///< [row, column]
  std::vector<double> limits;              ///< of class_limits
  std::size_t first_row = 0;               ///< the row of the figure's table that holds values[0]; the others follow

  /// The height that gives each row room; at most 480 px.
  double height(bool narrow) const;
  std::string svg(const Extent& extent, const std::string& alt) const;
};

/// The nine classes with their limits, as a row of swatches.
std::string heat_legend(const std::vector<double>& limits, const std::string& units);

}  // namespace lacuna
