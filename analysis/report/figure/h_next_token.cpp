// What a path does to the next-token distribution of a whole decoder: KL by position, and the budget of its stages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/report/bars.hpp"
#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/statistics/correlated_mean.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kBins = 32;

struct Setting {
  Series series;
  std::string cell;
  std::int64_t number;
  CorrelatedMean kl;
  std::vector<Mark> by_position;
  std::set<std::string> stages;  // "store=fp4_e4m3_16": what it has beyond a path without stages
  std::size_t row = 0;

  std::string name() const { return cell.empty() ? series.label() : series.label() + ", " + cell; }
};

std::set<std::string> stages_of(const ReportInput& input, const RowCells& rows, std::int64_t cell) {
  std::set<std::string> stages;
  for (const auto& [name, value] : input.reader.attributes(rows.group()))
    if (value != "0" && value != "false" && value != "exact" && name != "oracle") stages.insert(name + "=" + value);
  if (!rows.cell_name(cell).empty()) stages.insert(rows.cell_name(cell));
  return stages;
}

/// The longest chain of settings, in the order of the study, each with all stages of the one before and more.
std::vector<std::size_t> chain(const std::vector<Setting>& settings) {
  std::vector<std::size_t> length(settings.size(), 1);
  std::vector<std::size_t> before(settings.size(), settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto& a = settings[j].stages;
      const auto& b = settings[i].stages;
      const bool grows = a.size() < b.size() && std::includes(b.begin(), b.end(), a.begin(), a.end());
      if (grows && settings[j].kl.value > 0 && length[j] + 1 > length[i]) {
        length[i] = length[j] + 1;
        before[i] = j;
      }
    }
  std::vector<std::size_t> links;
  if (settings.empty()) return links;
  std::size_t at = static_cast<std::size_t>(std::max_element(length.begin(), length.end()) - length.begin());
  for (; at < settings.size(); at = before[at]) links.push_back(at);
  std::reverse(links.begin(), links.end());
  return links;
}

/// Settings that move something and contain no other such setting, each set of stages once, in the order of the study.
std::vector<std::size_t> smallest(const std::vector<Setting>& settings) {
  const auto contains = [](const Setting& a, const Setting& b) {
    return std::includes(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end());
  };
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    bool is_one = settings[i].kl.value > 0;
    for (std::size_t j = 0; j < settings.size(); ++j) {
      if (i == j || !(settings[j].kl.value > 0) || !contains(settings[i], settings[j])) continue;
      is_one = is_one && j > i && contains(settings[j], settings[i]);  // the first of equal ones
    }
    if (is_one) result.push_back(i);
  }
  return result;
}

Setting read_setting(const ReportInput& input, const Series& series, const RowCells& rows, std::int64_t cell) {
  Setting setting{series, rows.cell_name(cell), cell, {}, {}, stages_of(input, rows, cell), 0};
  const std::vector<double> kl = rows.read("kl_exact_approx", cell);
  const std::vector<std::int64_t> sequence = rows.index_along("sequence");
  const auto& positions = rows.labels_of("position");
  std::vector<std::vector<PositionSums>> sums(static_cast<std::size_t>(rows.size_of("sequence")),
                                              std::vector<PositionSums>(positions.size()));
  const auto width = (static_cast<std::int64_t>(positions.size()) + kBins - 1) / kBins;
  std::vector<std::pair<double, double>> bins(
      static_cast<std::size_t>((static_cast<std::int64_t>(positions.size()) + width - 1) / width));
  for (std::size_t i = 0; i < kl.size(); ++i) {
    if (std::isnan(kl[i])) continue;
    const std::size_t position = i % positions.size();
    sums[sequence[i]][position].sum += kl[i];
    sums[sequence[i]][position].count += 1;
    bins[position / width].first += kl[i];
    bins[position / width].second += 1;
  }
  setting.kl = correlated_mean(sums);
  for (std::size_t b = 0; b < bins.size(); ++b)
    setting.by_position.push_back({std::stod(positions[b * width]), bins[b].first / bins[b].second, 0});
  return setting;
}

Bar bar(const Setting& setting, const std::string& text) {
  Bar result;
  result.label = setting.name();
  result.segments = {{setting.kl.value, setting.series.colour(), setting.row}};
  result.text = text;
  result.series = setting.series.index;
  result.low = setting.kl.interval.low;
  result.high = setting.kl.interval.high;
  return result;
}

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Next-token divergence";
  std::vector<Setting> settings;
  for (const PathEntry& path : read_paths(input.reader, input.palette)) {
    const RowCells rows(input.reader, path.group, "kl_exact_approx");
    figure.legend.push_back(path.series);
    for (std::int64_t cell = 0; cell < rows.cells(); ++cell)
      settings.push_back(read_setting(input, path.series, rows, cell));
  }
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"from_position", "token"},
                              {"kl", "nat", "kl_exact_approx", "mean"},
                              {"kl_low", "nat"},
                              {"kl_high", "nat"}});
  std::vector<double> means;
  for (Setting& setting : settings) {
    setting.row =
        figure.table.add({setting.series.name, setting.cell, static_cast<double>(setting.number), std::string("all"),
                          setting.kl.value, setting.kl.interval.low, setting.kl.interval.high});
    for (Mark& mark : setting.by_position) {
      mark.row = figure.table.add({setting.series.name, setting.cell, static_cast<double>(setting.number),
                                   fmt::format("{}", mark.x), mark.y, std::nan(""), std::nan("")});
      means.push_back(mark.y);
    }
  }
  const std::vector<std::size_t> links = chain(settings);
  std::vector<Bar> alone;
  std::vector<Bar> together;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const bool linked = std::find(links.begin(), links.end(), i) != links.end();
    if (links.size() > 2 && linked && i != links.front()) continue;
    if (!(settings[i].kl.value > 0)) continue;
    alone.push_back(bar(settings[i], brief_number(settings[i].kl.value)));
  }
  double before = 0;
  for (const std::size_t i : links) {
    const double step = settings[i].kl.value - before;
    together.push_back(bar(settings[i], before == 0 ? brief_number(settings[i].kl.value)
                                                    : fmt::format("{} ({}{})", brief_number(settings[i].kl.value),
                                                                  step < 0 ? "" : "+", brief_number(step))));
    before = settings[i].kl.value;
  }
  const auto worst = std::max_element(settings.begin(), settings.end(),
                                      [](const Setting& a, const Setting& b) { return a.kl.value < b.kl.value; });
  const std::vector<std::size_t> parts = smallest(settings);
  double sum = 0;
  for (const std::size_t part : parts) sum += settings[part].kl.value;
  if (links.size() > 2)
    figure.sentence = fmt::format(
        "Everything together ({}) costs {} nat of KL a token; its {} one by one come to that through the steps on the "
        "right, and the {} that contain no other add up to {} nat, each alone.",
        settings[links.back()].name(), brief_number(before), counted(static_cast<long long>(links.size()), "stage"),
        counted(static_cast<long long>(parts.size()), "setting"), brief_number(sum));
  else if (worst != settings.end())
    figure.sentence =
        fmt::format("The largest mean KL is {} nat a token ({}).", brief_number(worst->kl.value), worst->name());
  figure.note =
      "KL(p || q) of the exact run's next-token distribution p from the path's q. Whiskers: 95 % intervals of the mean "
      "that allow for correlated positions.";
  if (!alone.empty()) {
    const Bars bars("mean KL, nat", alone);
    figure.panels.push_back({links.size() > 2 ? "alone" : "mean over positions", "",
                             [bars](const Extent& e) { return bars.svg(e, "Bars of mean KL by path."); },
                             bars.height(false), bars.height(true)});
  }
  if (links.size() > 2) {
    const Bars bars("mean KL, nat", together);
    figure.panels.push_back({"one on top of the other", "",
                             [bars](const Extent& e) { return bars.svg(e, "Bars of mean KL as stages are added."); },
                             bars.height(false), bars.height(true)});
  }
  const auto draw = [settings, means, legend = figure.legend](const Extent& extent) {
    Plot plot(extent,
              Axis::linear_exactly("position, tokens", 0, settings.empty() ? 1 : settings[0].by_position.back().x),
              Axis::logarithmic("mean KL, nat", means), legend);
    for (const Setting& setting : settings) {
      plot.line(setting.series, setting.by_position);
      plot.marks(setting.series, setting.by_position, true);
      plot.label(setting.series, setting.by_position.back());
    }
    return plot.svg("Mean KL against position, logarithmic, a line per path.");
  };
  figure.panels.push_back({"KL by position", "", draw, 0, 0});
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"h_next_token", [](const ReportInput& input) { return input.experiment == "model_divergence"; }, make});

}  // namespace
}  // namespace lacuna
