// How much of the exact top m the path attended, m = keys_attended: by the tie rule (score descending, index
// ascending), with credit for every attended key that ties with the m-th score, and by mass. NaN where m = 0.
#include <limits>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

constexpr double kNotDefined = std::numeric_limits<double>::quiet_NaN();

double recall(const PathJudgement& row) {
  const Index m = row.split.kept.count;
  if (m == 0) return kNotDefined;
  Index found = 0;
  for (Index i = 0; i < m; ++i) found += row.split.is_kept[(*row.exact_order)[i]] ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(m);
}

double recall_tie_credited(const PathJudgement& row) {
  const Index m = row.split.kept.count;
  if (m == 0) return kNotDefined;
  const double cut = row.exact->s[(*row.exact_order)[m - 1]];
  Index found = 0;
  for (const RowIndex j : row.answer->kept) found += row.exact->s[j] >= cut ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(m);
}

double recall_mass(const PathJudgement& row) {
  const Index m = row.split.kept.count;
  if (m == 0) return kNotDefined;
  CompensatedSum best;
  CompensatedSum held;
  for (Index i = 0; i < m; ++i) best.add(row.exact->e[(*row.exact_order)[i]]);
  for (const RowIndex j : row.answer->kept) held.add(row.exact->e[j]);
  return best.value() > 0 ? std::min(held.value() / best.value(), 1.0) : 1;
}

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "recall",
         .units = "1",
         .long_name = "share of the exact top keys_attended keys that were attended; ties by index",
         .evaluate = recall}) &&
    PathMetricRegistry::instance().add(
        {.name = "recall_tie_credited",
         .units = "1",
         .long_name = "as recall, with credit for attended keys that tie with the last of the exact top",
         .evaluate = recall_tie_credited}) &&
    PathMetricRegistry::instance().add({.name = "recall_mass",
                                        .units = "1",
                                        .long_name = "attended mass / mass of the exact top keys_attended keys",
                                        .evaluate = recall_mass});

}  // namespace
}  // namespace lacuna
