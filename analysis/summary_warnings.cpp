#include "analysis/summary_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/hill.hpp"
#include "analysis/statistics/mean.hpp"
#include "analysis/table.hpp"

namespace lacuna {
namespace {

/// -1: a is clearly lower, 1: clearly higher, 0: neither.
int order_of(const Estimate& a, const Estimate& b) {
  if (a.interval.high < b.interval.low) return -1;
  return a.interval.low > b.interval.high ? 1 : 0;
}

bool is_heavy(const TailFacts& facts) {
  if (!(facts.mean > 0)) return false;
  return facts.mean >= 10 * facts.median || (facts.mean >= 3 * facts.median && facts.tail_index <= 2);
}

}  // namespace

std::vector<std::string> conflicting_orders(const std::vector<LineFacts>& lines) {
  std::vector<std::string> warnings;
  const std::size_t metrics = lines.empty() ? 0 : lines.front().medians.size();
  for (std::size_t first = 0; first < metrics; ++first)
    for (std::size_t second = first + 1; second < metrics; ++second) {
      std::size_t pairs = 0;
      std::size_t conflicts = 0;
      std::string example;
      for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          if (lines[i].path == lines[j].path || lines[i].group != lines[j].group) continue;
          const int by_first = order_of(lines[i].medians[first].second, lines[j].medians[first].second);
          const int by_second = order_of(lines[i].medians[second].second, lines[j].medians[second].second);
          pairs += by_first != 0 && by_second != 0 ? 1 : 0;
          if (by_first * by_second >= 0) continue;
          ++conflicts;
          if (!example.empty()) continue;
          const LineFacts& lower = by_first < 0 ? lines[i] : lines[j];
          const LineFacts& higher = by_first < 0 ? lines[j] : lines[i];
          example = fmt::format("{} has the lower {} but the higher {} than {}", lower.name, lower.medians[first].first,
                                lower.medians[second].first, higher.name);
        }
      if (conflicts > 0)
        warnings.push_back(fmt::format("{} and {} order {} of {} pairs of paths differently: {}",
                                       lines.front().medians[first].first, lines.front().medians[second].first,
                                       conflicts, pairs, example));
    }
  return warnings;
}

TailFacts tail_facts(const std::string& name, const std::vector<double>& values, double median) {
  const std::int64_t k = hill_tail_size(static_cast<std::int64_t>(values.size()));
  constexpr std::int64_t fewest = 10;
  return {name, mean(values), median,
          k < fewest ? std::numeric_limits<double>::quiet_NaN() : hill_tail_index(values, k).value};
}

std::string heavy_tails(const std::string& quantity, const std::vector<TailFacts>& lines) {
  const TailFacts* worst = nullptr;
  std::size_t count = 0;
  for (const TailFacts& facts : lines) {
    if (!is_heavy(facts)) continue;
    ++count;
    if (worst == nullptr || facts.mean * worst->median > worst->mean * facts.median) worst = &facts;
  }
  if (worst == nullptr) return "";
  return fmt::format(
      "the mean {} is ruled by few rows on {} of {} lines, so compare medians and p99: {}: mean {}, median {}{}",
      quantity, count, lines.size(), worst->name, short_number(worst->mean), short_number(worst->median),
      std::isnan(worst->tail_index) ? "" : fmt::format(", tail index {:.2g}", worst->tail_index));
}

}  // namespace lacuna
