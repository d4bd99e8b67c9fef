// Omitted mass by layer and head, a heat map for each path.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/figure.hpp"
#include "analysis/report/heat_map.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/report/thinning.hpp"
#include "analysis/statistics/quantile.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostValues = 24000;  // in the data of the figure
constexpr std::int64_t kMostDrawn = 5000;    // at a time

struct MapOfPath {
  Series series;
  std::vector<std::int64_t> numbers;  ///< of the cells shown
  std::vector<std::string> cells;
  std::vector<std::vector<double>> values;  ///< [cell][layer, group of heads]
  std::size_t first_row = 0;
};

/// Heads of one column; a column of several shows the largest of their medians.
struct HeadGroups {
  std::int64_t heads = 0;
  std::int64_t size = 1;
  std::int64_t count() const { return (heads + size - 1) / size; }
};

/// The median over the other dimensions, [layer, group]; NaN where no row was measured.
std::vector<double> medians(const RowCells& rows, std::int64_t cell, const HeadGroups& groups) {
  const std::vector<double> status = rows.read("status", cell);
  const std::vector<double> mass = rows.read("omitted_mass", cell);
  const std::vector<std::int64_t> layer = rows.index_along("layer");
  const std::vector<std::int64_t> head = rows.index_along("head");
  std::vector<std::vector<double>> values(static_cast<std::size_t>(rows.size_of("layer") * groups.heads));
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (row_status::is_measured(status[i])) values[layer[i] * groups.heads + head[i]].push_back(mass[i]);
  std::vector<double> result(static_cast<std::size_t>(rows.size_of("layer") * groups.count()), std::nan(""));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    double& largest = result[at / groups.heads * groups.count() + at % groups.heads / groups.size];
    const double median = quantile(std::move(values[i]), 0.5);
    if (!(largest >= median) && !std::isnan(median)) largest = median;
  }
  return result;
}

/// Markup: the path's name, and a choice of swept values where there are several.
std::string caption(const MapOfPath& map, std::size_t shown) {
  const std::string name = escape_markup(map.series.label());
  if (map.cells.size() == 1) return map.cells[0].empty() ? name : name + ", " + escape_markup(map.cells[0]);
  std::string text =
      fmt::format("{} <select class=\"cell\" aria-label=\"swept value of {}\" data-first=\"{}\" data-size=\"{}\">",
                  name, escape_markup(map.series.name), map.first_row, map.values[0].size());
  for (std::size_t i = 0; i < map.cells.size(); ++i)
    text += fmt::format("<option{}>{}</option>", i == shown ? " selected" : "", escape_markup(map.cells[i]));
  return text + "</select>";
}

/// Which layer loses most: the median over all that is mapped, layer by layer.
std::string sentence(const std::vector<MapOfPath>& maps, const std::vector<std::string>& layers) {
  std::vector<std::vector<double>> of_layer(layers.size());
  for (const MapOfPath& map : maps)
    for (const std::vector<double>& values : map.values)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) of_layer[i / (values.size() / layers.size())].push_back(values[i]);
  std::vector<std::pair<double, std::string>> medians;
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (!of_layer[l].empty()) medians.emplace_back(quantile(std::move(of_layer[l]), 0.5), layers[l]);
  if (medians.empty()) return "No path omits any mass.";
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  if (medians.size() == 1)
    return fmt::format("In the median of paths and heads {} of the mass is omitted.", percent(most->first));
  return fmt::format(
      "Layer {} loses most: {} of the mass in the median of all paths, swept values and heads, against {} in layer {}.",
      most->second, percent(most->first), percent(least->first), least->second);
}

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Where mass is omitted";
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"layer"},
                              {"head"},
                              {"omitted_mass", "1", "omitted_mass", "median by layer and head"}});
  const std::vector<PathEntry> paths = read_paths(input.reader, input.palette);
  std::vector<std::string> layers;
  HeadGroups groups;
  std::vector<std::string> columns;
  std::vector<MapOfPath> maps;
  std::vector<double> all;
  std::string thinned;
  for (const PathEntry& path : paths) {
    if (!path.rows.has("omitted_mass")) continue;
    if (layers.empty()) {
      layers = path.rows.labels_of("layer");
      const std::vector<std::string>& heads = path.rows.labels_of("head");
      groups.heads = static_cast<std::int64_t>(heads.size());
      const auto rects = static_cast<std::int64_t>(layers.size() * heads.size() * paths.size());
      groups.size = std::clamp<std::int64_t>((rects + kMostDrawn - 1) / kMostDrawn, 1, groups.heads);
      for (std::int64_t first = 0; first < groups.heads; first += groups.size) {
        const std::int64_t last = std::min(first + groups.size, groups.heads) - 1;
        columns.push_back(first == last ? heads[first] : fmt::format("{}-{}", heads[first], heads[last]));
      }
      if (groups.size > 1)
        thinned += fmt::format(" A column is {} heads; it shows the largest of their medians.", groups.size);
    }
    const auto map_size = static_cast<std::int64_t>(layers.size()) * groups.count();
    MapOfPath map{path.series,
                  evenly_spread(path.rows.cells(), kMostValues / static_cast<std::int64_t>(paths.size()) / map_size),
                  {},
                  {},
                  0};
    bool omits = false;
    for (const std::int64_t cell : map.numbers) {
      map.cells.push_back(path.rows.cell_name(cell));
      map.values.push_back(medians(path.rows, cell, groups));
      for (const double value : map.values.back()) omits = omits || value > 0;
    }
    if (!omits) continue;
    if (static_cast<std::int64_t>(map.cells.size()) < path.rows.cells())
      thinned +=
          fmt::format(" Of {}, {} of {} swept values are shown.", path.name, map.cells.size(), path.rows.cells());
    map.first_row = figure.table.rows();
    for (std::size_t c = 0; c < map.cells.size(); ++c)
      for (std::size_t i = 0; i < map.values[c].size(); ++i)
        figure.table.add({path.name, map.cells[c], static_cast<double>(map.numbers[c]), layers[i / columns.size()],
                          columns[i % columns.size()], map.values[c][i]});
    for (const auto& values : map.values) all.insert(all.end(), values.begin(), values.end());
    maps.push_back(std::move(map));
  }
  figure.sentence = sentence(maps, layers);
  figure.note =
      fmt::format("Median over queries, sequences and draws. Paths that omit nothing have no map.{}", thinned);
  if (maps.empty()) return figure;
  figure.limits = class_limits(all);
  figure.further_legend = heat_legend(figure.limits, "of the mass");
  for (const MapOfPath& map : maps) {
    const std::size_t shown = map.cells.size() / 2;
    const HeatMap heat{"layer",
                       "head",
                       layers,
                       columns,
                       map.values[shown],
                       figure.limits,
                       map.first_row + shown * map.values[0].size()};
    const std::string alt =
        fmt::format("Heat map of the median omitted mass of {} by layer and head.", map.series.label());
    figure.panels.push_back({caption(map, shown), "", [heat, alt](const Extent& e) { return heat.svg(e, alt); },
                             heat.height(false), heat.height(true)});
  }
  return figure;
}

const bool registered = FigureRegistry::instance().add({"b_omitted_mass", has_attention_rows, make});

}  // namespace
}  // namespace lacuna
