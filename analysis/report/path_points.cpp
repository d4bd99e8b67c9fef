#include "analysis/report/path_points.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/report/number_text.hpp"
#include "analysis/statistics/correlated_quantile.hpp"
#include "analysis/statistics/mean.hpp"

namespace lacuna {
namespace {

bool is_number(const std::string& text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

PathPoint read_point(const PathEntry& path, std::int64_t cell) {
  PathPoint point{path.series, path.rows.cell_name(cell), cell, 0, 0, false, false, 0, 0, {}, {}};
  const auto& swept = path.rows.swept();
  point.joins_previous = !swept.empty() && cell % swept.back().size() != 0 &&
                         std::all_of(swept.back().labels.begin(), swept.back().labels.end(),
                                     [](const auto& label) { return is_number(label); });
  const std::vector<double> status = path.rows.read("status", cell);
  std::int64_t below = 0;
  for (const double code : status) {
    point.measured += row_status::is_measured(code);
    point.not_run += code == row_status::not_run;
    below += code == row_status::below_error_radius;
  }
  point.is_rounding = below > 0 && 2 * below >= point.measured;
  point.keys = mean(measured(path.rows, "keys_attended", cell, status));
  point.bytes = mean(measured(path.rows, "bytes_read_main", cell, status));
  for (const char* more : {"bytes_read_summary", "bytes_read_index"})
    if (path.rows.has(more)) point.bytes += mean(measured(path.rows, more, cell, status));
  const std::vector<Estimate> errors = correlated_quantiles(
      measured_places(path.rows, status), measured(path.rows, "output_error_relative", cell, status), {0.5, 0.99});
  point.median = errors[0];
  point.p99 = errors[1];
  return point;
}

}  // namespace

std::vector<PathPoint> path_points(const ResultsReader& reader, Palette& palette) {
  std::vector<PathPoint> points;
  for (const PathEntry& path : read_paths(reader, palette))
    for (std::int64_t cell = 0; cell < path.rows.cells(); ++cell) points.push_back(read_point(path, cell));
  return points;
}

bool source_is_swept(const std::vector<PathPoint>& points) {
  return std::ranges::any_of(points, [](const PathPoint& point) { return point.cell.starts_with("source_"); });
}

Reads budgeted(const std::vector<PathPoint>& points) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const PathPoint& point : points)
    if (!point.series.is_oracle && point.errs()) {
      least = std::min(least, point.keys);
      most = std::max(most, point.keys);
    }
  return most > 1.1 * least ? &PathPoint::keys : &PathPoint::bytes;
}

std::string budget_text(Reads reads, double budget) {
  return reads == &PathPoint::keys ? counted(static_cast<long long>(budget), "key") : brief_bytes(budget);
}

std::optional<PathPoint> best_within(const std::vector<PathPoint>& points, Reads reads, double budget, bool oracle) {
  std::optional<PathPoint> best;
  for (const PathPoint& point : points)
    if (point.series.is_oracle == oracle && point.ran_everywhere() && point.errs() && point.*reads <= budget &&
        (!best || point.median.value < best->median.value))
      best = point;
  return best;
}

std::vector<double> round_budgets(const std::vector<PathPoint>& points, Reads reads) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const PathPoint& point : points)
    if (!point.series.is_oracle && point.ran_everywhere() && point.errs()) {
      least = std::min(least, point.*reads);
      most = std::max(most, point.*reads);
    }
  std::vector<double> budgets;
  for (double budget = 1; most > 0; budget *= 4) {
    if (budget >= least) budgets.push_back(budget);
    if (budget >= most) break;
  }
  if (budgets.size() > 4) budgets.erase(budgets.begin(), budgets.end() - 4);
  return budgets;
}

}  // namespace lacuna
