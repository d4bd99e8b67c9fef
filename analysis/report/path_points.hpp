// One point per path and swept value of an attention_error file: what was read, and the error that came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/paths.hpp"
#include "analysis/statistics/interval.hpp"

namespace lacuna {

struct PathPoint {
  Series series;
  std::string cell;         ///< "select_k = 64"
  std::int64_t number = 0;  ///< of the cell
  std::int64_t measured = 0;
  std::int64_t not_run = 0;
  bool is_rounding = false;     ///< half of the errors and more lie below their own radius: as good as 0
  bool joins_previous = false;  ///< only the last swept dimension differs, and it holds numbers
  double keys = 0;              ///< mean keys attended per query
  double bytes = 0;             ///< mean bytes read per query and KV head: rows, summaries, index keys
  Estimate median;              ///< of output_error_relative
  Estimate p99;

  /// Ran in every row: its median is over the same rows as that of other paths.
  bool errs() const { return median.value > 0 && !is_rounding; }
  bool ran_everywhere() const { return not_run == 0; }
  std::string name() const { return cell.empty() ? series.label() : series.label() + ", " + cell; }
};

std::vector<PathPoint> path_points(const ResultsReader& reader, Palette& palette);

/// Whether the points are of several sources, so that one path's error says nothing of another's elsewhere.
bool source_is_swept(const std::vector<PathPoint>& points);

/// What a budget counts: keys, or bytes where all points read about as many keys.
using Reads = double PathPoint::*;
Reads budgeted(const std::vector<PathPoint>& points);
/// "64 keys", "128 KiB"
std::string budget_text(Reads reads, double budget);

/// The point of the least median error that reads at most `budget`, of the paths that are oracles or of those that are
/// not; only points that ran everywhere and err.
std::optional<PathPoint> best_within(const std::vector<PathPoint>& points, Reads reads, double budget, bool oracle);
/// Up to four budgets, powers of 4, within which some path that is no oracle has a point.
std::vector<double> round_budgets(const std::vector<PathPoint>& points, Reads reads);

}  // namespace lacuna
