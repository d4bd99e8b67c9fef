// Measured against theory: were a head's scores normal with the measured deviation sigma, keeping the top share kappa
// of the keys would omit delta(kappa) = PHI(PHI^-1(1 - kappa) - sigma) (analysis/statistics/log_normal_weights.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/report/thinning.hpp"
#include "analysis/statistics/log_normal_weights.hpp"
#include "analysis/statistics/quantile.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostPoints = 1500;  // of the whole figure

/// Paths that keep each head's own top keys and nothing else: what the law is about.
bool keeps_the_top(const ReportInput& input, const PathEntry& path) {
  bool main = false;
  for (const auto& [name, value] : input.reader.attributes(path.group)) {
    if (name == "select.by") main = value == "main";
    if (name.starts_with("pool.") || name == "store" || name == "store_k" || name == "store_v") return false;
    if ((name == "window" || name == "sink_tokens") && value != "0") return false;
    if (name == "select.share" && value != "head") return false;
    if (name == "layers" || name == "heads") return false;
  }
  for (const ReadDimension& swept : path.rows.swept())
    if (swept.name == "window" || swept.name == "sink_tokens" || swept.name.starts_with("pool") ||
        swept.name.starts_with("store"))
      return false;
  return main && path.rows.has("omitted_mass");
}

struct HeadPoint {
  std::vector<double> predicted;
  std::vector<double> missed;  // of the law's mass, by as many keys as there are
  std::vector<double> measured;
};

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Measured against theory";
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"layer"},
                              {"head"},
                              {"predicted", "1"},
                              {"missed", "1"},
                              {"omitted_mass", "1", "omitted_mass", "median"}});
  const RowCells exact(input.reader, "/exact", "score_std");
  std::vector<std::pair<Series, std::vector<Mark>>> drawn;
  std::vector<double> values;
  std::int64_t pairs = 0;
  std::int64_t near = 0;
  std::vector<double> ratios;
  std::vector<double> all_missed;
  for (const PathEntry& path : read_paths(input.reader, input.palette)) {
    if (!keeps_the_top(input, path)) continue;
    const auto& layers = path.rows.labels_of("layer");
    const auto& heads = path.rows.labels_of("head");
    const std::vector<std::int64_t> layer = path.rows.index_along("layer");
    const std::vector<std::int64_t> head = path.rows.index_along("head");
    std::vector<Mark> marks;
    const auto per_cell = static_cast<std::int64_t>(layers.size() * heads.size());
    for (const std::int64_t cell :
         evenly_spread(path.rows.cells(), std::max<std::int64_t>(kMostPoints / per_cell, 1))) {
      const std::int64_t source = cell / (path.rows.cells() / exact.cells());
      const std::vector<double> deviation = exact.read("score_std", source);
      const std::vector<double> visible = exact.read("visible_keys", source);
      const std::vector<double> status = path.rows.read("status", cell);
      const std::vector<double> mass = path.rows.read("omitted_mass", cell);
      const std::vector<double> keys = path.rows.read("keys_attended", cell);
      std::vector<HeadPoint> points(static_cast<std::size_t>(per_cell));
      for (std::size_t i = 0; i < status.size(); ++i) {
        const std::size_t row = i % deviation.size();  // a trial in front repeats the rows
        if (!row_status::is_measured(status[i]) || !(visible[row] > keys[i])) continue;
        HeadPoint& point = points[layer[i] * heads.size() + head[i]];
        point.predicted.push_back(log_normal_weights::omitted_mass(keys[i] / visible[row], deviation[row]));
        point.missed.push_back(log_normal_weights::missed_mass(visible[row], deviation[row]));
        point.measured.push_back(mass[i]);
      }
      for (std::size_t p = 0; p < points.size(); ++p) {
        if (points[p].measured.empty()) continue;
        const double predicted = quantile(points[p].predicted, 0.5);
        const double missed = quantile(points[p].missed, 0.5);
        const double measured = quantile(points[p].measured, 0.5);
        const std::size_t row =
            figure.table.add({path.name, path.rows.cell_name(cell), static_cast<double>(cell), layers[p / heads.size()],
                              heads[p % heads.size()], predicted, missed, measured});
        if (!(predicted > 0) || !(measured > 0)) continue;
        marks.push_back({predicted, measured, row});
        values.insert(values.end(), {predicted, measured});
        ratios.push_back(measured / predicted);
        all_missed.push_back(missed);
        ++pairs;
        near += ratios.back() <= 2 && ratios.back() >= 0.5;
      }
    }
    if (!marks.empty()) {
      figure.legend.push_back(path.series);
      drawn.emplace_back(path.series, std::move(marks));
    }
  }
  if (drawn.empty()) {
    figure.sentence = "No path keeps each head's own top keys and nothing else, and the law speaks of those alone.";
    return figure;
  }
  const double middle = quantile(ratios, 0.5);
  figure.sentence = fmt::format(
      "In {} of {} of head and budget the omitted mass lies within a factor of 2 of the log-normal law; in the median "
      "it is {} times what the law says, so that these heads are {} concentrated than normal scores of the same "
      "deviation. The law is of endlessly many keys: those that there are miss {} of its mass in the median and {} at "
      "most, and by as much a point may lie off the diagonal.",
      brief_number(static_cast<double>(near)), counted(pairs, "pair"), brief_number(middle),
      middle < 1 ? "more" : "less", brief_number(quantile(all_missed, 0.5)),
      brief_number(*std::max_element(all_missed.begin(), all_missed.end())));
  figure.note =
      "A point per head and swept value: medians over queries of the law at the row's own score_std and share of keys, "
      "and of the measured mass. "
      "Paths that keep each head's own top keys. On the diagonal, scores are as good as normal.";
  const auto draw = [drawn, values, text = figure.sentence](const Extent& extent) {
    Plot plot(extent, Axis::logarithmic("omitted mass by the log-normal law", values),
              Axis::logarithmic("measured omitted mass", values));
    plot.diagonal("measured = law");
    for (const auto& [series, marks] : drawn) plot.marks(series, marks);
    return plot.svg("Scatter of measured omitted mass against the log-normal law, logarithmic axes. " + text);
  };
  figure.panels = {{"omitted mass: measured against the law", "", draw, 420, 340}};
  return figure;
}

const bool registered = FigureRegistry::instance().add({"f_theory",
                                                        [](const ReportInput& input) {
                                                          return input.experiment == "attention_error" &&
                                                                 input.reader.has("/exact/score_std");
                                                        },
                                                        make});

}  // namespace
}  // namespace lacuna
