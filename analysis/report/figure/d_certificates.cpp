// What was certified of the omitted mass from block summaries, or from the best score left out, against what it was.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/statistics/quantile.hpp"

namespace lacuna {
namespace {

/// The certificate that a path has; empty: none.
std::string certificate_of(const ResultsReader& reader, const std::string& group) {
  for (const char* name : {"certificate_omitted_mass_upper", "certificate_omitted_mass_next_score"})
    if (reader.has(group + "/" + name)) return name;
  return "";
}

bool has_certificates(const ReportInput& input) {
  if (input.experiment != "attention_error") return false;
  return std::ranges::any_of(input.reader.names("/path"), [&](const std::string& name) {
    return !certificate_of(input.reader, "/path/" + name).empty();
  });
}

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Certified against omitted mass";
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"certificate"},
                              {"omitted_mass", "1", "omitted_mass", "p50"},
                              {"certified", "1", "certificate", "p50"},
                              {"rows"}});
  std::vector<std::pair<Series, std::vector<Mark>>> drawn;
  std::vector<double> values = {1};
  std::int64_t cells = 0;
  std::int64_t useful = 0;
  for (const PathEntry& path : read_paths(input.reader, input.palette)) {
    const std::string certificate = certificate_of(input.reader, path.group);
    if (certificate.empty()) continue;
    std::vector<Mark> marks;
    for (std::int64_t cell = 0; cell < path.rows.cells(); ++cell) {
      const std::vector<double> status = path.rows.read("status", cell);
      const std::vector<double> mass = measured(path.rows, "omitted_mass", cell, status);
      const std::vector<double> certified = measured(path.rows, certificate, cell, status);
      if (mass.empty()) continue;
      const double x = quantile(mass, 0.5);
      const double y = quantile(certified, 0.5);
      if (!(x > 0 && y > 0)) continue;
      ++cells;
      useful += y < 0.5 ? 1 : 0;
      marks.push_back({x, y,
                       figure.table.add({path.name, path.rows.cell_name(cell), static_cast<double>(cell), certificate,
                                         x, y, static_cast<double>(mass.size())})});
      values.insert(values.end(), {x, y});
    }
    if (marks.empty()) continue;
    figure.legend.push_back(path.series);
    drawn.emplace_back(path.series, std::move(marks));
  }
  if (drawn.empty()) {
    figure.sentence = "No path omits mass in its median row.";
    return figure;
  }
  figure.sentence = fmt::format("The median certificate stays below one half in {} of {}; near 1 it says nothing.",
                                useful, counted(cells, "mark"));
  figure.note =
      "A mark for each path and swept value, at the medians over its rows: the mass that was omitted, and what a "
      "system "
      "could have certified it to be at most, from block summaries or, where the best scores are taken, from the best "
      "one left out. On the diagonal the certificate is the truth. Medians of 0 are not drawn.";
  const auto draw = [drawn, values, sentence = figure.sentence](const Extent& extent) {
    Plot plot(extent, Axis::logarithmic("omitted mass", values), Axis::logarithmic("certified at most", values));
    plot.diagonal("certified = omitted");
    for (const auto& [series, marks] : drawn) plot.marks(series, marks);
    return plot.svg("Scatter of certified against omitted mass, logarithmic axes. " + sentence);
  };
  figure.panels = {{"certified against omitted mass", "", draw, 420, 340}};
  return figure;
}

const bool registered = FigureRegistry::instance().add({"d_certificates", has_certificates, make});

}  // namespace
}  // namespace lacuna
