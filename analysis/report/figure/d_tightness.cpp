// How loose the bound is: the distribution of bound / error over the rows of each path.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"
#include "analysis/report/ranges.hpp"
#include "analysis/statistics/quantile.hpp"

namespace lacuna {
namespace {

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "How tight the bound is";
  figure.table = FigureTable({{"path"},
                              {"p5", "1", "bound / output_error", "p5"},
                              {"p25", "1", "bound / output_error", "p25"},
                              {"median", "1", "bound / output_error", "median"},
                              {"p75", "1", "bound / output_error", "p75"},
                              {"p95", "1", "bound / output_error", "p95"},
                              {"rows"}});
  std::vector<Range> ranges;
  std::vector<double> values;
  for (const PathEntry& path : read_paths(input.reader, input.palette)) {
    if (!path.rows.has("bound")) continue;
    std::vector<double> ratio;
    for (std::int64_t cell = 0; cell < path.rows.cells(); ++cell) {
      const std::vector<double> status = path.rows.read("status", cell);
      const std::vector<double> error = path.rows.read("output_error", cell);
      const std::vector<double> bound = path.rows.read("bound", cell);
      for (std::size_t i = 0; i < status.size(); ++i)
        if ((status[i] == row_status::ok || status[i] == row_status::bound_violated) && error[i] > 0)
          ratio.push_back(bound[i] / error[i]);
    }
    if (ratio.empty()) continue;
    const auto rows = static_cast<double>(ratio.size());
    std::vector<double> q;
    for (const double at : {0.05, 0.25, 0.5, 0.75, 0.95}) q.push_back(quantile(ratio, at));
    values.insert(values.end(), q.begin(), q.end());
    const std::size_t row = figure.table.add({path.name, q[0], q[1], q[2], q[3], q[4], rows});
    ranges.push_back({path.series.label(), path.series, q[2], q[0], q[4], q[1], q[3], brief_number(q[2]), row});
    figure.legend.push_back(path.series);
  }
  if (ranges.empty()) {
    figure.sentence = "No row has an error above 0 and a bound to compare it with.";
    return figure;
  }
  const auto by_median = [](const Range& a, const Range& b) { return a.mark < b.mark; };
  const auto [tight, loose] = std::minmax_element(ranges.begin(), ranges.end(), by_median);
  figure.sentence = fmt::format(
      "In the median row the bound is {} times the error for {}, the tightest, and {} times for {}, the loosest.",
      brief_number(tight->mark), tight->label, brief_number(loose->mark), loose->label);
  figure.note =
      "Mark and number: median of bound / error; thick line: half of the rows; thin line: p5 to p95; all swept values "
      "together. Rows with an error of 0 or below its own error radius are left out.";
  values.push_back(1);
  const Ranges drawn(Axis::logarithmic("bound / error", values), ranges);
  figure.panels = {{"bound over error", "",
                    [drawn, text = figure.sentence](const Extent& e) {
                      return drawn.svg(e, "Ranges of bound over error by path, logarithmic axis. " + text);
                    },
                    drawn.height(false), drawn.height(true)}};
  return figure;
}

const bool registered = FigureRegistry::instance().add({"d_tightness", has_attention_rows, make});

}  // namespace
}  // namespace lacuna
