// Metrics: each kind is a variable of the results file, computed by the harness from what it knows about a row. A file
// under core/metrics/path or core/metrics/exact registers one or several kinds that belong together.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/registry.hpp"
#include "core/metrics/path_judgement.hpp"

namespace lacuna {

enum class Quantity { real, count };  ///< recorded as f64 or i64

/// A variable of /path/<name>.
struct PathMetricKind {
  std::string name;
  std::string units;
  std::string long_name;
  Quantity quantity = Quantity::real;
  bool (*applies)(const PathTraits&) = nullptr;  ///< nullptr: to every path
  bool any_support = false;                      ///< defined as well where the softmax does not run over the rows
  double (*evaluate)(const PathJudgement&) = nullptr;
};
using PathMetricRegistry = Registry<PathMetricKind>;

/// The kinds that apply to a path, in the registry's order.
std::vector<const PathMetricKind*> metrics_of(const PathTraits& traits);

/// An exact row with what several metrics derive from it.
struct ExactProfile {
  const AttentionProblem* problem = nullptr;
  Index head = 0;   ///< index
  Index query = 0;  ///< index
  const ExactRow* row = nullptr;
  std::vector<RowIndex> order;  ///< [visible] keys by score descending, then index ascending

  ExactProfile(const AttentionProblem& attention_problem, Index head_index, Index query_index, const ExactRow& exact);
};

/// A further dimension of a variable of /exact, from the largest number of visible keys in the source.
struct ExactDimension {
  std::string name;
  std::string units;
  std::string long_name;
  std::vector<std::int64_t> (*coordinate)(Index keys) = nullptr;
};

/// A variable of /exact.
struct ExactMetricKind {
  std::string name;
  std::string units;
  std::string long_name;
  Quantity quantity = Quantity::real;
  std::optional<ExactDimension> dimension = {};
  /// Writes one value, or one per coordinate of the dimension.
  void (*evaluate)(const ExactProfile&, std::span<const std::int64_t> coordinate, std::span<double> out) = nullptr;
};
using ExactMetricRegistry = Registry<ExactMetricKind>;

}  // namespace lacuna
