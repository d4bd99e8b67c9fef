// A figure of the report, and the list of all kinds: a kind registers itself from its own file in figure/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/figure_table.hpp"
#include "analysis/report/plot.hpp"
#include "analysis/results_reader.hpp"
#include "core/base/registry.hpp"

namespace lacuna {

/// One drawing of a figure.
struct Panel {
  std::string caption;  ///< markup; may hold a <select class="cell"> that chooses what a heat map shows
  std::string alt;      ///< what it shows, in words
  /// Draws at a width of 528 px (or 344 on telephones); `height` 0 takes the usual one.
  std::function<std::string(const Extent&)> draw;
  double wide_height = 0;
  double narrow_height = 0;
};

struct Figure {
  std::string title;
  std::string sentence;  ///< what to see, computed from the data; plain text
  std::string note;      ///< how to read it, what was left out or thinned; plain text
  FigureTable table;
  std::vector<Series> legend;  ///< series that can be highlighted; none where there is nothing to choose
  std::string further_legend;  ///< markup: of kinds or of a heat scale
  std::vector<double> limits;  ///< of a heat map, for the script
  std::vector<Panel> panels;
};

/// What a figure is made from.
struct ReportInput {
  const ResultsReader& reader;
  std::string experiment;  ///< attention_error, model_divergence, ...
  Palette& palette;
};

/// Whether the file has paths whose rows are attention's: those of attention_error, the judged ones of
/// model_divergence.
bool has_attention_rows(const ReportInput& input);

struct FigureKind {
  std::string name;  ///< identifies the figure in the page; with a leading letter for its place in the page
  bool (*applies)(const ReportInput&);
  Figure (*make)(const ReportInput&);
};
using FigureRegistry = Registry<FigureKind>;

}  // namespace lacuna
