// What one query reads of the cache, path by path: each cached row in its place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/bars.hpp"
#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/report/thinning.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostStrips = 16;

struct Run {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::string kind;
  std::size_t row = 0;  // of the figure's table
};

struct Strip {
  std::string label;
  int series = 0;
  bool has_summaries = false;
  std::vector<Run> runs;
};

/// Runs of neighbouring rows of one kind, the first `sinks` rows and the newest `window` ones told apart.
std::vector<Run> runs_of(std::vector<std::int64_t> rows, std::int64_t visible, std::int64_t sinks,
                         std::int64_t window) {
  std::sort(rows.begin(), rows.end());
  std::vector<Run> runs;
  for (const std::int64_t row : rows) {
    const std::string kind = row < sinks ? "sink tokens" : row >= visible - window ? "window" : "selected";
    if (!runs.empty() && runs.back().last + 1 == row && runs.back().kind == kind)
      runs.back().last = row;
    else
      runs.push_back({row, row, kind, 0});
  }
  return runs;
}

/// A parameter of a path at a cell: fixed, an attribute, or swept, a dimension; 0 where it is neither.
std::int64_t parameter(const ReportInput& input, const RowCells& rows, std::int64_t cell, const std::string& name) {
  std::int64_t inner = rows.cells();
  for (const ReadDimension& swept : rows.swept()) {
    inner /= swept.size();
    if (swept.name == name) return std::stoll(swept.labels[cell / inner % swept.size()]);
  }
  const std::string text = input.reader.text_attribute(rows.group(), name);
  return text.empty() ? 0 : std::stoll(text);
}

std::string kind_colour(const std::string& kind) { return kind == "selected" ? "k0" : kind == "window" ? "k1" : "k2"; }

std::string svg(const std::vector<Strip>& strips, std::int64_t visible, const Extent& extent, const std::string& alt) {
  const bool narrow = extent.is_narrow();
  double label_width = 0;
  for (const Strip& strip : strips) label_width = std::max(label_width, 7 * static_cast<double>(strip.label.size()));
  const double left = narrow ? 8 : std::min(label_width + 12, 0.4 * extent.width);
  const double right = extent.width - 14;
  const double row = narrow ? 38 : 24;
  const double bottom = 8 + row * static_cast<double>(strips.size());
  const Axis axis = Axis::linear_exactly("cached row", 0, static_cast<double>(visible));
  const auto px = [&](std::int64_t key) { return left + axis.place(static_cast<double>(key)) * (right - left); };
  std::string body;
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const Strip& strip = strips[i];
    const double y = 8 + row * static_cast<double>(i) + (narrow ? 17 : 3);
    body += fmt::format("<g data-s=\"{}\"><text class=\"bl\" x=\"{}\" y=\"{}\"{}>{}</text>", strip.series,
                        coordinate(narrow ? left + 2 : left - 8), coordinate(narrow ? y - 4 : y + 12),
                        narrow ? "" : " text-anchor=\"end\"", escape_markup(strip.label));
    body += fmt::format("<path class=\"skipped\" d=\"M{} {}H{}V{}H{}Z\"/>", coordinate(px(0)), coordinate(y),
                        coordinate(px(visible)), coordinate(y + 14), coordinate(px(0)));
    if (strip.has_summaries)
      body += fmt::format("<path class=\"summaries\" d=\"M{} {}H{}\"/>", coordinate(px(0)), coordinate(y + 16.5),
                          coordinate(px(visible)));
    for (const Run& run : strip.runs)
      body += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" data-r=\"{}\"/>",
                          kind_colour(run.kind), coordinate(px(run.first)), coordinate(y),
                          coordinate(std::max(px(run.last + 1) - px(run.first), 0.8)), run.row);
    body += "</g>";
  }
  for (const Tick& tick : axis.ticks(static_cast<int>((right - left) / 62)))
    body += fmt::format(
        "<path class=\"tick\" d=\"M{0} {1}v4\"/><text class=\"tl\" x=\"{0}\" y=\"{2}\" "
        "text-anchor=\"middle\">{3}</text>",
        coordinate(px(static_cast<std::int64_t>(tick.value))), coordinate(bottom), coordinate(bottom + 16), tick.label);
  body += fmt::format(
      "<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">cached row, the oldest on the left</text>",
      coordinate((left + right) / 2), coordinate(bottom + 34));
  return drawing(extent, alt, body);
}

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Memory map of one query";
  std::vector<const PathEntry*> recorded;
  const std::vector<PathEntry> paths = read_paths(input.reader, input.palette);
  for (const PathEntry& path : paths)
    if (path.rows.has("selected")) recorded.push_back(&path);
  if (recorded.empty()) {
    figure.sentence =
        "This file does not hold which rows were read: run the study with --set experiment.record_selected=true to see "
        "them here.";
    return figure;
  }
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"kind"},
                              {"first_row", "1", "selected", "run"},
                              {"last_row", "1", "selected", "run"}});
  const RowCells exact(input.reader, "/exact", "visible_keys");
  const std::int64_t layer = exact.size_of("layer") / 2;
  const std::int64_t query = exact.size_of("query") - 1;
  std::int64_t longest = 0;
  std::vector<Strip> strips;
  double fewest = 2;
  std::string fewest_name;
  const std::int64_t per_path = std::max<std::int64_t>(kMostStrips / static_cast<std::int64_t>(recorded.size()), 1);
  for (const PathEntry* path : recorded)
    for (const std::int64_t cell : evenly_spread(path->rows.cells(), per_path)) {
      std::vector<std::int64_t> place;
      for (const ReadDimension& dimension : path->rows.own())
        place.push_back(dimension.name == "layer" ? layer : dimension.name == "query" ? query : 0);
      if (!row_status::is_measured(path->rows.read_at("status", cell, place)[0])) continue;
      const std::int64_t source = cell / (path->rows.cells() / exact.cells());
      const auto visible = static_cast<std::int64_t>(exact.read_at("visible_keys", source, {0, layer, 0, query})[0]);
      std::vector<std::int64_t> rows;
      for (const double row : path->rows.read_at("selected", cell, place))
        if (row >= 0) rows.push_back(static_cast<std::int64_t>(row));
      longest = std::max(longest, visible);
      Strip strip{path->series.label(), path->series.index, path->rows.has("bytes_read_summary"), {}};
      if (const std::string name = path->rows.cell_name(cell); !name.empty()) strip.label += ", " + name;
      const double share = static_cast<double>(rows.size()) / static_cast<double>(visible);
      if (share < fewest) {
        fewest = share;
        fewest_name = strip.label;
      }
      strip.runs = runs_of(std::move(rows), visible, parameter(input, path->rows, cell, "sink_tokens"),
                           parameter(input, path->rows, cell, "window"));
      for (Run& run : strip.runs)
        run.row = figure.table.add({path->name, path->rows.cell_name(cell), static_cast<double>(cell), run.kind,
                                    static_cast<double>(run.first), static_cast<double>(run.last)});
      strips.push_back(std::move(strip));
    }
  figure.sentence = fmt::format("Of {} visible rows, {} reads the smallest share: {}.",
                                brief_number(static_cast<double>(longest)), fewest_name, percent(fewest));
  figure.note = fmt::format(
      "Layer {}, head {}, the last query of the first sequence{}. Grey rows are skipped; a line below a strip: the "
      "summaries of all its blocks are read as well.",
      exact.labels_of("layer")[layer], exact.labels_of("head")[0],
      static_cast<std::int64_t>(strips.size()) < kMostStrips ? "" : "; some swept values are left out");
  figure.further_legend = kind_legend({{"selected", "k0"}, {"window", "k1"}, {"sink tokens", "k2"}});
  const std::string alt = "Strips of cached rows, one per path, with the rows that are read. " + figure.sentence;
  const auto count = static_cast<double>(strips.size());
  figure.panels = {{"rows read", "", [=](const Extent& e) { return svg(strips, longest, e, alt); }, 8 + 24 * count + 42,
                    8 + 38 * count + 42}};
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"k_memory_map", [](const ReportInput& input) { return input.experiment == "attention_error"; }, make});

}  // namespace
}  // namespace lacuna
