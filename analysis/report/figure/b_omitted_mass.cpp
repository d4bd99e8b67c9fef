// Omitted mass by layer and head, a heat map for each path.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/figure.hpp"
#include "analysis/report/heat_map.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/path_rows.hpp"
#include "analysis/statistics/quantile.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostValues = 24000;  // of the whole figure

/// The median over the other dimensions, [layer, head]; NaN where no row was measured.
std::vector<double> medians(const PathRows& rows, std::int64_t cell, std::int64_t layers, std::int64_t heads) {
  const std::vector<double> status = rows.read("status", cell);
  const std::vector<double> mass = rows.read("omitted_mass", cell);
  const std::vector<std::int64_t> layer = rows.index_along("layer");
  const std::vector<std::int64_t> head = rows.index_along("head");
  std::vector<std::vector<double>> groups(static_cast<std::size_t>(layers * heads));
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (row_status::is_measured(status[i])) groups[layer[i] * heads + head[i]].push_back(mass[i]);
  std::vector<double> result;
  for (std::vector<double>& group : groups) result.push_back(quantile(std::move(group), 0.5));
  return result;
}

/// At most `most` of the cells, evenly spread, with the first and the last.
std::vector<std::int64_t> spread(std::int64_t cells, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  most = std::max<std::int64_t>(most, 1);
  if (cells <= most) {
    for (std::int64_t i = 0; i < cells; ++i) chosen.push_back(i);
  } else if (most == 1) {
    chosen.push_back(cells / 2);
  } else {
    for (std::int64_t i = 0; i < most; ++i) chosen.push_back(i * (cells - 1) / (most - 1));
  }
  return chosen;
}

struct MapOfPath {
  Series series;
  std::vector<std::string> cells;
  std::vector<std::vector<double>> values;  // [cell][layer, head]
  std::size_t first_row = 0;
};

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Where mass is omitted";
  figure.table =
      Table({{"path"}, {"swept"}, {"cell"}, {"layer"}, {"head"}, {"omitted_mass", "1", "omitted_mass", "median"}});
  std::vector<MapOfPath> maps;
  std::vector<double> all;
  std::vector<std::string> layers;
  std::vector<std::string> heads;
  std::string thinned;
  struct Extreme {
    double value = -1;
    std::string where;
  } worst;
  const std::vector<PathEntry> paths = read_paths(input.reader, input.palette);
  for (const PathEntry& path : paths) {
    if (!path.rows.has("omitted_mass")) continue;
    layers = path.rows.labels_of("layer");
    heads = path.rows.labels_of("head");
    const auto size = static_cast<std::int64_t>(layers.size() * heads.size());
    const std::int64_t most = kMostValues / static_cast<std::int64_t>(paths.size()) / size;
    MapOfPath map{path.series, {}, {}, figure.table.rows()};
    for (const std::int64_t cell : spread(path.rows.cells(), most)) {
      map.cells.push_back(path.rows.cell_name(cell));
      map.values.push_back(
          medians(path.rows, cell, static_cast<std::int64_t>(layers.size()), static_cast<std::int64_t>(heads.size())));
      for (std::size_t i = 0; i < map.values.back().size(); ++i) {
        const double value = map.values.back()[i];
        const std::string& layer = layers[i / heads.size()];
        const std::string& head = heads[i % heads.size()];
        figure.table.add({path.name, map.cells.back(), static_cast<double>(cell), layer, head, value});
        all.push_back(value);
        if (!path.series.is_oracle && value > worst.value)
          worst = {value, fmt::format("layer {}, head {}, {}{}{}", layer, head, path.name,
                                      map.cells.back().empty() ? "" : ", ", map.cells.back())};
      }
    }
    if (static_cast<std::int64_t>(map.cells.size()) < path.rows.cells())
      thinned +=
          fmt::format(" Of {}, {} of {} swept values are shown.", path.name, map.cells.size(), path.rows.cells());
    const bool omits = std::any_of(map.values.begin(), map.values.end(), [](const auto& values) {
      return std::any_of(values.begin(), values.end(), [](double value) { return value > 0; });
    });
    if (omits) maps.push_back(std::move(map));
  }
  figure.sentence = worst.value > 0
                        ? fmt::format("The largest median omitted mass of a path that is no oracle is {} ({}).",
                                      percent(worst.value), worst.where)
                    : maps.empty() ? "No path omits any mass."
                                   : "Only oracles omit mass here.";
  figure.note = "Median over queries, sequences and draws. Paths that omit nothing are left out of the maps." + thinned;
  figure.limits = class_limits(all);
  figure.further_legend = heat_legend(figure.limits, "of the mass");
  for (const MapOfPath& map : maps) {
    const std::size_t shown = map.cells.size() / 2;
    HeatMap heat{"layer",
                 "head",
                 layers,
                 heads,
                 map.values[shown],
                 figure.limits,
                 map.first_row + shown * layers.size() * heads.size()};
    Panel panel;
    panel.caption = escape_markup(map.series.label());
    if (map.cells.size() > 1) {
      panel.caption +=
          fmt::format(" <select class=\"cell\" aria-label=\"swept value of {}\" data-first=\"{}\" data-size=\"{}\">",
                      escape_markup(map.series.name), map.first_row, layers.size() * heads.size());
      for (std::size_t i = 0; i < map.cells.size(); ++i)
        panel.caption +=
            fmt::format("<option{}>{}</option>", i == shown ? " selected" : "", escape_markup(map.cells[i]));
      panel.caption += "</select>";
    } else if (!map.cells[0].empty()) {
      panel.caption += ", " + escape_markup(map.cells[0]);
    }
    const std::string alt =
        fmt::format("Heat map of the median omitted mass of {} by layer and head.", map.series.label());
    panel.wide_height = heat.height(false);
    panel.narrow_height = heat.height(true);
    panel.draw = [heat, alt](const Extent& extent) { return heat.svg(extent, alt); };
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

const bool registered = FigureRegistry::instance().add({"b_omitted_mass",
                                                        [](const ReportInput& input) {
                                                          return input.experiment == "attention_error" ||
                                                                 input.experiment == "model_divergence";
                                                        },
                                                        make});

}  // namespace
}  // namespace lacuna
