// What each stage of a path contributes: the measured telescope and the parts of the bound.
//
//   o - o~ = (o - o_replay) + (o_replay - o_pool) + (o_pool - o_S) + (o_S - o~)
//
// replay, pool, selection, store: the norms of the four terms, whose sum is at least the norm of the whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/report/bars.hpp"
#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/statistics/mean.hpp"

namespace lacuna {
namespace {

constexpr std::array<const char*, 5> kStages = {"pool", "selection", "store", "arithmetic", "replay"};
constexpr std::size_t kMostBars = 24;

struct Budget {
  Series series;
  std::string cell;
  std::int64_t number = 0;
  std::array<double, kStages.size()> error = {};  // means; 0 where the path has no such stage
  std::array<double, kStages.size()> bound = {};
  double whole = 0;  // mean output_error
  std::int64_t stages = 0;
  std::size_t row = 0;  // of stage 0 in the table; the others follow
};

Budget read_budget(const PathEntry& path, std::int64_t cell) {
  Budget budget{path.series, path.rows.cell_name(cell), cell, {}, {}, 0, 0, 0};
  const std::vector<double> status = path.rows.read("status", cell);
  const auto value = [&](const std::string& variable) {
    return path.rows.has(variable) ? mean(measured(path.rows, variable, cell, status)) : 0.0;
  };
  for (std::size_t s = 0; s < kStages.size(); ++s) {
    budget.error[s] = value(fmt::format("output_error_{}", kStages[s]));
    budget.bound[s] = value(fmt::format("bound_{}", kStages[s]));
    if (budget.error[s] > 0) ++budget.stages;
  }
  budget.whole = value("output_error");
  return budget;
}

std::vector<Bar> bars(const std::vector<Budget>& budgets, const std::array<double, kStages.size()> Budget::*parts) {
  std::vector<Bar> result;
  for (const Budget& budget : budgets) {
    Bar bar;
    bar.label = budget.series.label() + (budget.cell.empty() ? "" : ", " + budget.cell);
    bar.series = budget.series.index;
    double sum = 0;
    for (const double part : budget.*parts) sum += part;
    for (std::size_t s = 0; s < kStages.size(); ++s)
      bar.segments.push_back({sum > 0 ? 100 * (budget.*parts)[s] / sum : 0, fmt::format("k{}", s), budget.row + s});
    bar.text = brief_number(sum);
    result.push_back(std::move(bar));
  }
  return result;
}

Figure make(const ReportInput& input) {
  std::vector<Budget> budgets;
  for (const PathEntry& path : read_paths(input.reader, input.palette))
    for (std::int64_t cell = 0; cell < path.rows.cells(); ++cell) {
      Budget budget = read_budget(path, cell);
      if (budget.whole > 0) budgets.push_back(std::move(budget));
    }
  Figure figure;
  figure.title = "Error budget by stage";
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"stage"},
                              {"error", "1", "output_error_<stage>", "mean"},
                              {"bound", "1", "bound_<stage>", "mean"},
                              {"output_error", "1", "output_error", "mean"}});
  for (Budget& budget : budgets) {
    budget.row = figure.table.rows();
    for (std::size_t s = 0; s < kStages.size(); ++s)
      figure.table.add({budget.series.name, budget.cell, static_cast<double>(budget.number), std::string(kStages[s]),
                        budget.error[s], budget.bound[s], budget.whole});
  }
  std::vector<Budget> shown;
  for (const Budget& budget : budgets)
    if (budget.stages >= 2) shown.push_back(budget);
  const std::size_t several = shown.size();
  if (shown.empty()) shown = budgets;
  if (shown.size() > kMostBars) {  // evenly spread over the study, with its first and last
    std::vector<Budget> spread;
    for (std::size_t i = 0; i < kMostBars; ++i) spread.push_back(shown[i * (shown.size() - 1) / (kMostBars - 1)]);
    shown = std::move(spread);
  }
  if (budgets.empty()) {
    figure.sentence = "No path moves the output.";
  } else if (several == 0) {
    figure.sentence = "Every path has one stage, which is charged with its whole error.";
  } else {
    const auto share = [](const Budget& b) {
      double sum = 0;
      for (const double part : b.error) sum += part;
      return *std::max_element(b.error.begin(), b.error.end()) / sum;
    };
    const auto extreme = std::max_element(shown.begin(), shown.end(),
                                          [&](const Budget& a, const Budget& b) { return share(a) < share(b); });
    const auto stage = std::max_element(extreme->error.begin(), extreme->error.end()) - extreme->error.begin();
    double slack = 0;
    for (const Budget& budget : shown) {
      double sum = 0;
      for (const double part : budget.error) sum += part;
      slack = std::max(slack, sum / budget.whole);
    }
    figure.sentence = fmt::format(
        "Among {} with several stages, one stage weighs most in {}{}{}: the {} makes {} of the summed error. The "
        "stages add up to at most {} times the error itself.",
        counted(static_cast<long long>(several), "path setting"), extreme->series.label(),
        extreme->cell.empty() ? "" : " at ", extreme->cell, kStages[stage], percent(share(*extreme)),
        brief_number(slack));
  }
  figure.note = fmt::format(
      "Means over rows, as shares of their sum, which stands behind the bar. Arithmetic has no measured part of its "
      "own. "
      "{} of {} path settings are drawn: those with several stages, where there are any{}.",
      shown.size(), budgets.size(), several > kMostBars ? ", evenly thinned" : "");
  if (shown.empty()) return figure;
  std::vector<Kind> kinds;
  for (std::size_t s = 0; s < kStages.size(); ++s) kinds.push_back({kStages[s], fmt::format("k{}", s)});
  figure.further_legend = kind_legend(kinds);
  const Bars error("share of the measured error, %", bars(shown, &Budget::error));
  const Bars bound("share of the bound, %", bars(shown, &Budget::bound));
  figure.panels = {
      {"measured", "",
       [error](const Extent& e) { return error.svg(e, "Stacked bars: share of each stage in the measured error."); },
       error.height(false), error.height(true)},
      {"what the bound is made of", "",
       [bound](const Extent& e) { return bound.svg(e, "Stacked bars: share of each stage in the bound."); },
       bound.height(false), bound.height(true)}};
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"e_error_budget", [](const ReportInput& input) { return input.experiment == "attention_error"; }, make});

}  // namespace
}  // namespace lacuna
