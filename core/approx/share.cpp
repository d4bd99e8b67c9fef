#include "core/approx/share.hpp"

#include <cmath>
#include <limits>
#include <map>

namespace lacuna {

std::vector<std::vector<Index>> share_groups(const AttentionProblem& problem, const std::vector<Index>& heads,
                                             const std::string& share) {
  std::map<Index, std::vector<Index>> groups;
  for (const Index head : heads)
    groups[share == "head" ? head : share == "kv_group" ? problem.kv_head_of(head) : 0].push_back(head);
  std::vector<std::vector<Index>> result;
  for (auto& [key, members] : groups) result.push_back(std::move(members));
  return result;
}

std::vector<double> shared_scores(const std::vector<std::vector<double>>& scores, const KeySet& among) {
  if (scores.size() == 1) return scores.front();
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  std::vector<double> result(scores.front().size(), minus_infinity);
  for (const std::vector<double>& s : scores) {
    double top = minus_infinity;
    for (const RowIndex j : among) top = std::max(top, s[j]);
    double total = 0;
    for (const RowIndex j : among) total += std::exp(s[j] - top);
    const double log_sum_exp = top + std::log(total);
    for (const RowIndex j : among) {  // in the log domain, so that no candidate is lost to underflow
      const double log_weight = s[j] - log_sum_exp;
      const double high = std::max(result[j], log_weight);
      result[j] = high + std::log1p(std::exp(std::min(result[j], log_weight) - high));
    }
  }
  for (const RowIndex j : among) result[j] -= std::log(static_cast<double>(scores.size()));
  return result;
}

}  // namespace lacuna
