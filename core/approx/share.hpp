// Which query heads share one selection, and by which score they agree.
//
// Heads that share rank candidate j by the log of the mean of their softmax weights,
//   s_j = log( (1/H) sum_h exp(s_hj - lse_h) ) ,   lse_h over the candidates,
// so that the k best keys are the set of k that minimises the mean omitted mass over the sharing heads (native sparse
// attention sums the heads' scores in the same way: Yuan et al. 2025, section 3.3.2). A head alone keeps its scores,
// so that ties stay exact.
#pragma once

#include <string>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/problem.hpp"

namespace lacuna {

/// Groups of query heads (by index) among `heads`, ascending. share = "head", "kv_group" or "layer".
std::vector<std::vector<Index>> share_groups(const AttentionProblem& problem, const std::vector<Index>& heads,
                                             const std::string& share);

/// scores [heads][n] -> [n]; entries outside `among` are -inf when heads share.
std::vector<double> shared_scores(const std::vector<std::vector<double>>& scores, const KeySet& among);

}  // namespace lacuna
