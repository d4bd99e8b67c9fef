#include "core/mechanism/index_heads.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(IndexHeads, FewHeadsFollowTheMainHeadsInTurn) {
  for (Index i = 0; i < 5; ++i) {  // three main heads: six would make pairs
    const FollowedHead followed = followed_head(5, 3, i);
    EXPECT_EQ(followed.main_head, i % 3);
    EXPECT_EQ(followed.sign, 1);
    EXPECT_EQ(followed.weight, 1);
  }
}

TEST(IndexHeads, ManyHeadsAreLinearPairsAndFollowEveryMainHeadAsOften) {
  for (Index main_heads = 1; main_heads <= 4; ++main_heads)
    for (Index index_heads = 2 * main_heads; index_heads <= 5 * main_heads + 1; ++index_heads) {
      std::vector<double> linear(main_heads);  // what multiplies s of each main head: sum of weight * sign over pairs
      double weights = 0;
      for (Index i = 0; i < index_heads; ++i) {
        const FollowedHead followed = followed_head(index_heads, main_heads, i);
        EXPECT_EQ(followed.sign, i % 2 == 0 ? 1 : -1);
        linear[followed.main_head] += followed.weight * followed.sign / 2;
        weights += followed.weight;
      }
      EXPECT_EQ(weights, 0);
      for (const double s : linear) EXPECT_EQ(s, static_cast<double>(index_heads / (2 * main_heads)));
    }
}

TEST(IndexHeads, LeftOverOnesWeighNothing) {
  EXPECT_EQ(followed_head(5, 2, 3).weight, -1);
  EXPECT_EQ(followed_head(5, 2, 4).weight, 0);
  EXPECT_EQ(followed_head(7, 2, 5).weight, 0) << "a pair that would follow one main head more often than another";
}

}  // namespace
}  // namespace lacuna
