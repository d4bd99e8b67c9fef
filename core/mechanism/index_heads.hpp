// Which main head each head of an aligned indexer follows.
//
// A rectified score hides the order of negative scores. With fewer than 2 H index heads, head i follows main head
// i mod H and the index score is a sum of rectified scores. Otherwise heads 2 p and 2 p + 1 are a pair of q and -q of
// main head p mod H with weights +1 and -1, which is linear: max(s, 0) - max(-s, 0) = s. Every main head is followed by
// as many pairs; index heads that are left over weigh 0.
#pragma once

#include "core/attention/rows.hpp"

namespace lacuna {

struct FollowedHead {
  Index main_head = 0;
  double sign = 1;    ///< of the query
  double weight = 1;  ///< of the index head
};

inline FollowedHead followed_head(Index index_heads, Index main_heads, Index i) {
  if (index_heads < 2 * main_heads) return {i % main_heads, 1, 1};
  const double sign = i % 2 == 0 ? 1 : -1;
  const Index paired = index_heads / (2 * main_heads) * (2 * main_heads);
  return {i / 2 % main_heads, sign, i < paired ? sign : 0};
}

}  // namespace lacuna
