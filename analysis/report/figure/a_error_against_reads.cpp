// Error against what was read, in keys and in bytes: the trade that every path makes.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/path_points.hpp"

namespace lacuna {
namespace {

using Errors = Estimate PathPoint::*;

/// The points that no other path without an oracle beats in both reads and median error, in the order of reads.
std::vector<Mark> frontier(const std::vector<PathPoint>& points, Reads reads, Errors error) {
  std::vector<const PathPoint*> sorted;
  for (const PathPoint& point : points)
    if (!point.series.is_oracle && point.ran_everywhere() && point.*reads > 0 && point.errs()) sorted.push_back(&point);
  std::sort(sorted.begin(), sorted.end(), [&](const PathPoint* a, const PathPoint* b) {
    return a->*reads != b->*reads ? a->*reads < b->*reads : (a->*error).value < (b->*error).value;
  });
  std::vector<Mark> marks;
  for (const PathPoint* point : sorted)
    if (marks.empty() || (point->*error).value < marks.back().y)
      marks.push_back({point->*reads, (point->*error).value, 0});
  return marks;
}

Panel panel(const std::vector<PathPoint>& points, Reads reads, Errors error, const std::string& x_title,
            const std::string& y_title, TickText text) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const PathPoint& point : points) {
    xs.push_back(point.*reads);
    if (point.is_rounding)
      ys.push_back(0);
    else
      ys.insert(ys.end(), {(point.*error).value, (point.*error).interval.high});
  }
  std::vector<Series> labelled;
  for (const PathPoint& point : points) labelled.push_back(point.series);
  const auto draw = [=](const Extent& extent) {
    Plot plot(extent, Axis::logarithmic(x_title, xs, 2, text), Axis::logarithmic(y_title, ys), labelled);
    plot.backdrop(frontier(points, reads, error));
    for (std::size_t first = 0; first < points.size();) {
      std::size_t last = first;
      std::vector<Mark> marks;
      for (; last < points.size() && points[last].series.index == points[first].series.index; ++last) {
        const Estimate& e = points[last].*error;
        if (last > first && !points[last].joins_previous)
          marks.push_back({std::numeric_limits<double>::quiet_NaN(), 0, 0});
        if (points[last].is_rounding)
          marks.push_back({points[last].*reads, 0, last});
        else
          marks.push_back({points[last].*reads, e.value, last, e.interval.low, e.interval.high});
      }
      plot.line(points[first].series, marks);
      plot.marks(points[first].series, marks);
      plot.label(points[first].series, marks.back());
      first = last;
    }
    return plot.svg(fmt::format("{} against {} of {} points, both axes logarithmic.", y_title, x_title, points.size()));
  };
  return {escape_markup(y_title + " against " + x_title), "", draw, 0, 0};
}

std::string sentence(const std::vector<PathPoint>& points) {
  if (source_is_swept(points)) return "The source is swept: compare marks of the same source, which the table names.";
  std::string text;
  const Reads reads = budgeted(points);
  for (const double budget : round_budgets(points, reads)) {
    const auto best = best_within(points, reads, budget, false);
    const auto oracle = best_within(points, reads, budget, true);
    if (!best) continue;
    text += fmt::format("{} at most {} a query, the least median error of a path that a system could run is {} ({})",
                        text.empty() ? "With" : " With", budget_text(reads, budget), brief_number(best->median.value),
                        best->name());
    if (oracle && oracle->median.value < best->median.value)
      text += fmt::format(", {} times that of the best oracle ({})",
                          brief_number(best->median.value / oracle->median.value), oracle->name());
    text += ".";
  }
  if (!text.empty()) return text;
  const auto worst = std::max_element(points.begin(), points.end(), [](const PathPoint& a, const PathPoint& b) {
    return a.median.value < b.median.value;
  });
  return worst == points.end() || !(worst->median.value > 0)
             ? "No path moves the output."
             : fmt::format("The largest median error is {} ({}).", brief_number(worst->median.value), worst->name());
}

Figure make(const ReportInput& input) {
  const std::vector<PathPoint> points = path_points(input.reader, input.palette);
  Figure figure;
  figure.title = "Error against what is read";
  figure.sentence = sentence(points);
  figure.note =
      "A line joins the swept values of a path. Hollow marks, dashed lines and a star: an oracle, which reads every "
      "key "
      "to decide which ones to use. Vertical bars: 95 % intervals that allow for correlated queries. The broad band is "
      "the frontier of the paths that are no oracles. Errors are relative to the norm of the exact output; bytes are "
      "rows, summaries and index keys per KV head. An error below its own error radius in half of the rows is drawn as "
      "0.";
  figure.table = FigureTable({{"path"},
                              {"swept"},
                              {"cell"},
                              {"keys_attended", "1", "keys_attended", "mean"},
                              {"bytes_read", "byte", "bytes_read_main + bytes_read_summary + bytes_read_index", "mean"},
                              {"error_median", "1", "output_error_relative", "median"},
                              {"error_median_low", "1"},
                              {"error_median_high", "1"},
                              {"error_p99", "1", "output_error_relative", "p99"},
                              {"error_p99_low", "1"},
                              {"error_p99_high", "1"},
                              {"rows", "1", "status", "measured"},
                              {"rows_not_run", "1", "status", "not_run"}});
  std::string partial;
  for (const PathPoint& point : points) {
    figure.table.add({point.series.name, point.cell, static_cast<double>(point.number), point.keys, point.bytes,
                      point.median.value, point.median.interval.low, point.median.interval.high, point.p99.value,
                      point.p99.interval.low, point.p99.interval.high, static_cast<double>(point.measured),
                      static_cast<double>(point.not_run)});
    if (figure.legend.empty() || figure.legend.back().index != point.series.index) {
      figure.legend.push_back(point.series);
      if (!point.ran_everywhere()) partial += (partial.empty() ? "" : ", ") + point.series.label();
    }
  }
  if (!partial.empty())
    figure.note +=
        fmt::format(" Not run in every layer, and so compared on other rows, outside the frontier: {}.", partial);
  const std::string median = "median relative error";
  const std::string p99 = "p99 relative error";
  figure.panels = {
      panel(points, &PathPoint::keys, &PathPoint::median, "keys read per query", median, TickText::number),
      panel(points, &PathPoint::bytes, &PathPoint::median, "bytes read per query", median, TickText::bytes),
      panel(points, &PathPoint::keys, &PathPoint::p99, "keys read per query", p99, TickText::number),
      panel(points, &PathPoint::bytes, &PathPoint::p99, "bytes read per query", p99, TickText::bytes)};
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"a_error_against_reads", [](const ReportInput& input) { return input.experiment == "attention_error"; }, make});

}  // namespace
}  // namespace lacuna
