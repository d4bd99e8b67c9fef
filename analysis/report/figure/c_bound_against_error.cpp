// Every row's bound against its error: a point below the diagonal would be a bound that does not hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"

namespace lacuna {
namespace {

constexpr std::size_t kMostPoints = 1800;  // of the whole figure

struct Point {
  double error;
  double bound;
  std::size_t row;
  bool violated;
};

/// At most about `most` of the points: the extremes of error, bound and of their ratio, every violation, and of the
/// others each n-th.
std::vector<Point> thin(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most) return points;
  std::set<std::size_t> kept;
  const auto keep_ends = [&](auto key) {
    const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                                 [&](const Point& a, const Point& b) { return key(a) < key(b); });
    kept.insert(low - points.begin());
    kept.insert(high - points.begin());
  };
  keep_ends([](const Point& p) { return p.error; });
  keep_ends([](const Point& p) { return p.bound; });
  keep_ends([](const Point& p) { return p.bound / p.error; });
  std::size_t violations = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].violated && violations++ < 1000) kept.insert(i);
  const std::size_t every = (points.size() + most - 1) / most;
  for (std::size_t i = 0; i < points.size(); i += every) kept.insert(i);
  std::vector<Point> result;
  for (const std::size_t i : kept) result.push_back(points[i]);
  return result;
}

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Bound against error, row by row";
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"row_in_cell"},
                              {"output_error", "1", "output_error", "value"},
                              {"bound", "1", "bound", "value"}});
  const std::vector<PathEntry> paths = read_paths(input.reader, input.palette);
  std::int64_t cells = 0;
  for (const PathEntry& path : paths) cells += path.rows.cells();
  const std::size_t most =
      std::max<std::size_t>(kMostPoints / static_cast<std::size_t>(std::max<std::int64_t>(cells, 1)), 6);

  std::vector<std::pair<Series, std::vector<Mark>>> drawn;
  std::vector<double> values;
  std::int64_t measured = 0;
  std::int64_t left_out = 0;
  std::int64_t below = 0;
  std::int64_t violations = 0;
  double tightest = std::numeric_limits<double>::infinity();
  for (const PathEntry& path : paths) {
    if (!path.rows.has("bound")) continue;
    std::vector<Mark> marks;
    for (std::int64_t cell = 0; cell < path.rows.cells(); ++cell) {
      const std::vector<double> status = path.rows.read("status", cell);
      const std::vector<double> error = path.rows.read("output_error", cell);
      const std::vector<double> bound = path.rows.read("bound", cell);
      std::vector<Point> points;
      for (std::size_t i = 0; i < status.size(); ++i) {
        if (!row_status::is_measured(status[i])) continue;
        ++measured;
        if (status[i] == row_status::below_error_radius || !(error[i] > 0) || !(bound[i] > 0) || std::isinf(bound[i])) {
          ++left_out;
          continue;
        }
        if (bound[i] < error[i]) ++below;
        if (status[i] == row_status::bound_violated) ++violations;
        tightest = std::min(tightest, bound[i] / error[i]);
        points.push_back({error[i], bound[i], i, status[i] == row_status::bound_violated});
      }
      for (const Point& point : thin(points, most)) {
        marks.push_back({point.error, point.bound,
                         figure.table.add({path.name, path.rows.cell_name(cell), static_cast<double>(cell),
                                           static_cast<double>(point.row), point.error, point.bound})});
        values.insert(values.end(), {point.error, point.bound});
      }
    }
    if (!marks.empty()) {
      figure.legend.push_back(path.series);
      drawn.emplace_back(path.series, std::move(marks));
    }
  }
  if (drawn.empty())
    figure.sentence = "No row has an error above 0 and a bound to compare it with.";
  else
    figure.sentence = fmt::format(
        "{} of {} lie below the diagonal, {}; the tightest bound {}.",
        below == 0 ? "None" : brief_number(static_cast<double>(below)), counted(measured - left_out, "row"),
        violations == 0 ? "and no row violates its bound" : fmt::format("{} of them beyond rounding", violations),
        tightest < 1.001 ? "is its error to within 0.1 %"
                         : fmt::format("is {} times its error", brief_number(tightest)));
  figure.note = fmt::format(
      "{} of {} are drawn: the extremes of error, bound and ratio of each path and swept value, every violation, and "
      "of "
      "the others each n-th in the order of the file. {} without a positive error above its radius are not drawn.",
      counted(static_cast<long long>(figure.table.rows()), "row"), brief_number(static_cast<double>(measured)),
      counted(left_out, "row"));
  if (drawn.empty()) return figure;
  const auto draw = [drawn, values, sentence = figure.sentence](const Extent& extent) {
    Plot plot(extent, Axis::logarithmic("output error", values), Axis::logarithmic("bound", values));
    plot.diagonal("bound = error");
    for (const auto& [series, marks] : drawn) plot.marks(series, marks, true);
    return plot.svg("Scatter of bound against output error, logarithmic axes. " + sentence);
  };
  figure.panels = {{"bound against output error", "", draw, 420, 340}};
  return figure;
}

const bool registered = FigureRegistry::instance().add({"c_bound_against_error", has_attention_rows, make});

}  // namespace
}  // namespace lacuna
