// How the hidden state of a whole decoder drifts from the exact run's, layer by layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"

namespace lacuna {
namespace {

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Hidden error by layer";
  figure.table = FigureTable(
      {{"path"}, {"swept"}, {"cell"}, {"layer"}, {"hidden_error_relative", "1", "hidden_error_relative", "mean"}});
  std::vector<std::pair<Series, std::vector<Mark>>> lines;
  std::vector<double> values;
  double last_layer = 1;
  double worst = 0;
  std::string where = "no path";
  for (const PathEntry& path : read_paths(input.reader, input.palette)) {
    const RowCells rows(input.reader, path.group, "hidden_error_relative");
    const auto& layers = rows.labels_of("layer");
    figure.legend.push_back(path.series);
    const std::vector<std::int64_t> layer = rows.index_along("layer");
    for (std::int64_t cell = 0; cell < rows.cells(); ++cell) {
      const std::vector<double> errors = rows.read("hidden_error_relative", cell);
      std::vector<std::pair<double, double>> sums(layers.size());
      for (std::size_t i = 0; i < errors.size(); ++i)
        if (!std::isnan(errors[i])) {
          sums[layer[i]].first += errors[i];
          sums[layer[i]].second += 1;
        }
      std::vector<Mark> marks;
      for (std::size_t l = 0; l < layers.size(); ++l) {
        const double value = sums[l].first / sums[l].second;
        marks.push_back(
            {std::stod(layers[l]), value,
             figure.table.add({path.name, rows.cell_name(cell), static_cast<double>(cell), layers[l], value})});
        values.push_back(value);
        last_layer = std::max(last_layer, marks.back().x);
      }
      if (marks.empty()) continue;
      if (marks.back().y > worst) {
        worst = marks.back().y;
        where = path.series.label() + (rows.cell_name(cell).empty() ? "" : ", " + rows.cell_name(cell));
      }
      lines.emplace_back(path.series, std::move(marks));
    }
  }
  figure.sentence =
      fmt::format("Behind the last layer the state of {} is off by {} of its norm, the most.", where, percent(worst));
  figure.note =
      "Mean over sequences and positions of the error of the hidden state behind the layer, relative to its norm.";
  const auto draw = [=, legend = figure.legend](const Extent& extent) {
    Plot plot(extent, Axis::linear_exactly("layer", 0, last_layer), Axis::logarithmic("relative hidden error", values),
              legend);
    for (const auto& [series, marks] : lines) {
      plot.line(series, marks);
      plot.marks(series, marks);
      plot.label(series, marks.back());
    }
    return plot.svg("Mean relative hidden error against layer, logarithmic, a line per path.");
  };
  figure.panels = {{"relative hidden error", "", draw, 400, 320}};
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"h_hidden_error", [](const ReportInput& input) { return input.experiment == "model_divergence"; }, make});

}  // namespace
}  // namespace lacuna
