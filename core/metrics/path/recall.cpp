// How much of the exact top m the path attended, m = the cached keys it attended (local rows, among which no path
// chooses, take no part): by the tie rule (score descending, index ascending), with credit for every attended key that
// ties with the m-th score, and by mass. NaN where m = 0.
#include <algorithm>
#include <limits>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

constexpr double kNotDefined = std::numeric_limits<double>::quiet_NaN();

/// Cached keys that the path attended; local ones are behind them in the kept set.
KeySet attended(const PathJudgement& row) {
  const KeySet& kept = row.answer->kept;
  return KeySet(kept.begin(), std::ranges::lower_bound(kept, static_cast<RowIndex>(row.exact->cached())));
}

/// The m best cached keys by exact score.
KeySet best(const PathJudgement& row, std::size_t m) {
  KeySet keys;
  for (std::size_t i = 0; keys.size() < m; ++i)
    if ((*row.exact_order)[i] < row.exact->cached()) keys.push_back((*row.exact_order)[i]);
  return keys;
}

double recall(const PathJudgement& row) {
  const std::size_t m = attended(row).size();
  if (m == 0) return kNotDefined;
  Index found = 0;
  for (const RowIndex j : best(row, m)) found += row.split.is_kept[j] ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(m);
}

double recall_tie_credited(const PathJudgement& row) {
  const KeySet kept = attended(row);
  if (kept.empty()) return kNotDefined;
  const double cut = row.exact->s[best(row, kept.size()).back()];
  Index found = 0;
  for (const RowIndex j : kept) found += row.exact->s[j] >= cut ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(kept.size());
}

double recall_mass(const PathJudgement& row) {
  const KeySet kept = attended(row);
  if (kept.empty()) return kNotDefined;
  CompensatedSum most;
  CompensatedSum held;
  for (const RowIndex j : best(row, kept.size())) most.add(row.exact->e[j]);
  for (const RowIndex j : kept) held.add(row.exact->e[j]);
  return most.value() > 0 ? std::min(held.value() / most.value(), 1.0) : 1;
}

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "recall",
         .units = "1",
         .long_name =
             "share of the exact top m cached keys that were attended, m = cached keys attended; ties by index",
         .evaluate = recall}) &&
    PathMetricRegistry::instance().add(
        {.name = "recall_tie_credited",
         .units = "1",
         .long_name = "as recall, with credit for attended keys that tie with the last of the exact top",
         .evaluate = recall_tie_credited}) &&
    PathMetricRegistry::instance().add({.name = "recall_mass",
                                        .units = "1",
                                        .long_name = "attended mass / mass of the exact top m cached keys",
                                        .evaluate = recall_mass});

}  // namespace
}  // namespace lacuna
