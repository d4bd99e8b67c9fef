// Evaluates variables of /exact for one row.
#pragma once

#include <string>
#include <vector>

#include "support/judged_row.hpp"

namespace lacuna::testing_core {

/// One value, or one per coordinate.
inline std::vector<double> exact_metric(const std::string& name, const AttentionProblem& problem, Index head = 0,
                                        Index query = 0) {
  const ExactMetricKind& kind = ExactMetricRegistry::instance().at(name);
  const ExactRow exact = exact_of(problem, head, query);
  const ExactProfile profile(problem, head, query, exact);
  std::vector<std::int64_t> coordinate = {0};
  if (kind.dimension) coordinate = kind.dimension->coordinate(problem.s_kv());
  std::vector<double> out(coordinate.size());
  kind.evaluate(profile, kind.dimension ? coordinate : std::vector<std::int64_t>{}, out);
  return out;
}

inline std::vector<std::int64_t> exact_coordinate(const std::string& name, Index keys) {
  return ExactMetricRegistry::instance().at(name).dimension->coordinate(keys);
}

}  // namespace lacuna::testing_core
