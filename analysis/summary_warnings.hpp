// Where one number of a table would mislead: metrics that order two paths differently, and means ruled by a few rows.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/interval.hpp"

namespace lacuna {

/// One line of a table, as far as it can mislead.
struct LineFacts {
  std::string path;
  std::string name;   ///< path and swept value, for a message
  std::string group;  ///< only lines of the same swept source and labels are compared
  /// Medians by metric: {"output error", ...}, the same metrics in the same order on every line.
  std::vector<std::pair<std::string, Estimate>> medians;
};

/// One warning for each two metrics by which some two paths change places: both differences clear, that is with
/// intervals that do not meet. It counts such pairs of lines, and names one.
std::vector<std::string> conflicting_orders(const std::vector<LineFacts>& lines);

/// How far a mean stands above the median, and the tail index (statistics/hill.hpp) of the values.
struct TailFacts {
  std::string name;  ///< of the line
  double mean = 0;
  double median = 0;
  double tail_index = 0;  ///< NaN where there is none
};
TailFacts tail_facts(const std::string& name, const std::vector<double>& values, double median);

/// One warning for a quantity ("relative output error") whose mean is ruled by few rows on some lines: at least ten
/// times the median, or at least three times with a tail index of at most 2, where no variance exists. Empty: none.
std::string heavy_tails(const std::string& quantity, const std::vector<TailFacts>& lines);

}  // namespace lacuna
