// Bounded replay: how far rebuilt states are from the exact ones, and what that does to the tokens that follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/figure.hpp"
#include "analysis/report/heat_map.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/report/thinning.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostValues = 16000;

/// The mean over sequences, [layer, offset]; NaN where nothing ran.
std::vector<double> mean_errors(const RowCells& rows, std::int64_t cell) {
  const std::vector<double> errors = rows.read("hidden_error_relative", cell);
  const std::int64_t states = rows.size_of("layer") * rows.size_of("offset");
  std::vector<double> sum(static_cast<std::size_t>(states), 0);
  std::vector<double> count(sum.size(), 0);
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (!std::isnan(errors[i])) {
      sum[i % sum.size()] += errors[i];
      count[i % sum.size()] += 1;
    }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = count[i] > 0 ? sum[i] / count[i] : std::nan("");
  return sum;
}

Figure states(const ReportInput& input) {
  const RowCells rows(input.reader, "/replay", "hidden_error_relative");
  const std::vector<std::string>& layers = rows.labels_of("layer");
  const std::vector<std::string>& offsets = rows.labels_of("offset");
  const auto size = static_cast<std::int64_t>(layers.size() * offsets.size());
  const std::vector<std::int64_t> cells = evenly_spread(rows.cells(), kMostValues / size);
  Figure figure;
  figure.title = "Replay: states by layer and offset";
  figure.table = FigureTable({{"replay"},
                              {"cell"},
                              {"layer"},
                              {"offset", "token"},
                              {"hidden_error_relative", "1", "hidden_error_relative", "mean by layer and offset"}});
  std::vector<std::vector<double>> values;
  std::vector<double> all;
  double exact = 0;
  double ran = 0;
  for (const std::int64_t cell : cells) {
    values.push_back(mean_errors(rows, cell));
    for (std::size_t i = 0; i < values.back().size(); ++i) {
      const double value = values.back()[i];
      figure.table.add({rows.cell_name(cell), static_cast<double>(cell), layers[i / offsets.size()],
                        offsets[i % offsets.size()], value});
      all.push_back(value);
      exact += value == 0;
      ran += !std::isnan(value);
    }
  }
  figure.sentence = fmt::format("Of {} rebuilt in the replays shown, {} are exact to the last bit.",
                                counted(static_cast<long long>(ran), "state"), percent(exact / ran));
  figure.note = fmt::format(
      "Mean over sequences of the relative error of the state behind a layer, at the offset of its token from the "
      "start of the replay. {} of {} replays are shown.",
      cells.size(), rows.cells());
  figure.limits = class_limits(all);
  figure.further_legend = heat_legend(figure.limits, "of the state's norm");
  const std::size_t shown = cells.size() / 2;
  const HeatMap heat{
      "layer", "offset, tokens", layers, offsets, values[shown], figure.limits, shown * static_cast<std::size_t>(size)};
  std::string caption =
      fmt::format("<select class=\"cell\" aria-label=\"replay\" data-first=\"0\" data-size=\"{}\">", size);
  for (std::size_t i = 0; i < cells.size(); ++i)
    caption +=
        fmt::format("<option{}>{}</option>", i == shown ? " selected" : "", escape_markup(rows.cell_name(cells[i])));
  const std::string alt = "Heat map of the relative error of rebuilt states by layer and offset. " + figure.sentence;
  figure.panels = {{caption + "</select>", "", [heat, alt](const Extent& e) { return heat.svg(e, alt); },
                    heat.height(false), heat.height(true)}};
  return figure;
}

Figure next_steps(const ReportInput& input) {
  const RowCells rows(input.reader, "/replay", "kl_exact_approx");
  Figure figure;
  figure.title = "Replay: the tokens that follow";
  figure.table = FigureTable({{"replay"},
                              {"cell"},
                              {"variant"},
                              {"replay_length", "token"},
                              {"kl_mean", "nat", "kl_exact_approx", "mean"},
                              {"kl_max", "nat", "kl_exact_approx", "max"}});
  struct Line {
    Series series;
    std::vector<Mark> mean;
    std::vector<Mark> largest;
  };
  std::vector<Line> lines;
  std::vector<double> lengths;
  std::vector<double> means;
  std::vector<double> maxima;
  for (std::int64_t cell = 0; cell < rows.cells(); ++cell) {
    std::string name;
    double length = 0;
    std::int64_t inner = rows.cells();
    for (const ReadDimension& swept : rows.swept()) {
      inner /= swept.size();
      const std::string& label = swept.labels[cell / inner % swept.size()];
      if (swept.name == "replay_length")
        length = std::stod(label);
      else if (swept.name == "variant")
        name += (name.empty() ? "" : ", ") + label;
      else
        name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", swept.name, label);
    }
    double sum = 0;
    double count = 0;
    double largest = 0;
    for (const double kl : rows.read("kl_exact_approx", cell))
      if (!std::isnan(kl)) {
        sum += kl;
        ++count;
        largest = std::max(largest, kl);
      }
    if (count == 0) continue;
    const std::size_t row =
        figure.table.add({rows.cell_name(cell), static_cast<double>(cell), name, length, sum / count, largest});
    const Series series = input.palette.series(name, false);
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.series.index == series.index; });
    if (line == lines.end()) {
      lines.push_back({series, {}, {}});
      line = lines.end() - 1;
      figure.legend.push_back(series);
    }
    line->mean.push_back({length, sum / count, row});
    line->largest.push_back({length, largest, row});
    lengths.push_back(length);
    means.push_back(sum / count);
    maxima.push_back(largest);
  }
  for (const Line& line : lines) {
    const auto exact = std::find_if(line.largest.begin(), line.largest.end(), [](const Mark& m) { return m.y == 0; });
    figure.sentence +=
        fmt::format("{}{} leaves the next tokens' distributions untouched {}", figure.sentence.empty() ? "" : "; ",
                    line.series.name,
                    exact == line.largest.end() ? std::string("at no length that was run")
                                                : fmt::format("from {} replayed tokens on", brief_number(exact->x)));
  }
  figure.sentence += ".";
  figure.note =
      "KL of the exact run's distribution from the replay's, over the steps after the prefix and over sequences.";
  const auto panel = [&](const std::string& title, std::vector<Mark> Line::*marks, const std::vector<double>& values) {
    const auto draw = [=, legend = figure.legend](const Extent& extent) {
      Plot plot(extent, Axis::logarithmic("replay length, tokens", lengths, 2),
                Axis::logarithmic(title + ", nat", values), legend);
      for (const Line& line : lines) {
        plot.line(line.series, line.*marks);
        plot.marks(line.series, line.*marks);
        plot.label(line.series, (line.*marks).back());
      }
      return plot.svg(title + " of the next tokens against replay length, a line per variant.");
    };
    figure.panels.push_back({escape_markup(title), "", draw, 0, 0});
  };
  panel("mean KL", &Line::mean, means);
  panel("largest KL", &Line::largest, maxima);
  return figure;
}

const auto is_replay = [](const ReportInput& input) { return input.experiment == "replay_error"; };
const bool registered_states = FigureRegistry::instance().add({"i_replay_states", is_replay, states});
const bool registered_steps = FigureRegistry::instance().add({"i_replay_steps", is_replay, next_steps});

}  // namespace
}  // namespace lacuna
