// How far back the exact attention looks: mass by distance, a row per layer.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/figure.hpp"
#include "analysis/report/heat_map.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"

namespace lacuna {
namespace {

Figure make(const ReportInput& input) {
  const std::string variable = "/exact/mass_by_distance";
  const RowCells rows(input.reader, "/exact", "visible_keys");
  const std::vector<std::string> distances = input.reader.dimensions(variable).back().labels;
  const std::vector<std::string>& layers = rows.labels_of("layer");
  const std::int64_t cell = rows.cells() - 1;
  HeatMap heat{"layer", "distance, tokens", layers, distances, {}, {}, 0};
  std::string nearest;
  std::string farthest;
  double most = -1;
  double least = 2;
  const std::size_t local =
      static_cast<std::size_t>(std::find(distances.begin(), distances.end(), "128") - distances.begin());
  Figure figure;
  figure.title = "Mass by distance";
  figure.table = FigureTable({{"layer"}, {"distance", "token"}, {"cell"}, {"mass", "1", "mass_by_distance", "mean"}});
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<double> sum(distances.size(), 0);
    double count = 0;
    for (std::int64_t s = 0; s < rows.size_of("sequence"); ++s) {
      const std::vector<double> values = rows.read_at("mass_by_distance", cell, {s, static_cast<std::int64_t>(l)});
      for (std::size_t row = 0; row * distances.size() < values.size(); ++row) {
        const double* mass = values.data() + row * distances.size();
        if (!(mass[0] == mass[0])) continue;  // no visible key
        ++count;
        for (std::size_t d = 0; d < distances.size(); ++d) sum[d] += mass[d];
      }
    }
    double within = 0;
    for (std::size_t d = 0; d < distances.size(); ++d) {
      const double value = count > 0 ? sum[d] / count : std::numeric_limits<double>::quiet_NaN();
      heat.values.push_back(value);
      figure.table.add({layers[l], distances[d], static_cast<double>(cell), value});
      if (d < local) within += value;
    }
    if (within > most) {
      most = within;
      nearest = layers[l];
    }
    if (within < least) {
      least = within;
      farthest = layers[l];
    }
  }
  heat.limits = class_limits(heat.values);
  figure.limits = heat.limits;
  figure.further_legend = heat_legend(heat.limits, "of the mass");
  const std::string reach = local < distances.size() ? "the nearest 128 tokens" : "all distances";
  figure.sentence = fmt::format("Of the exact mass, {} lies within {} in layer {} and {} in layer {}.", percent(least),
                                reach, farthest, percent(most), nearest);
  figure.note =
      fmt::format("Mean over sequences, heads and queries. A column holds distances from its label to the next one{}.",
                  rows.cells() > 1 ? ", at " + rows.cell_name(cell) + ", the last of the swept sources" : "");
  const std::string alt = "Heat map of exact attention mass by layer and distance. " + figure.sentence;
  figure.panels = {{"mean exact mass", "", [heat, alt](const Extent& e) { return heat.svg(e, alt); },
                    heat.height(false), heat.height(true)}};
  return figure;
}

const bool registered = FigureRegistry::instance().add({"g_distance",
                                                        [](const ReportInput& input) {
                                                          return input.experiment == "attention_error" &&
                                                                 input.reader.has("/exact/mass_by_distance");
                                                        },
                                                        make});

}  // namespace
}  // namespace lacuna
