// The indexer's score, by hand.
#include "core/mechanism/index_score.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

const std::vector<double> kQueries = {1, 2, -3, 1, 0, -1};  // heads (1, 2), (-3, 1), (0, -1)

double score(const std::vector<double>& w, const std::vector<double>& k) { return index_score(kQueries, w, k); }

TEST(IndexScore, SumsWeightedRectifiedProducts) {
  EXPECT_EQ(score({1, 10, 100}, {1, 1}), 3);        // products 3, -2, -1
  EXPECT_EQ(score({1, 10, 100}, {-2, 3}), 4 + 90);  // 4, 9, -3
  EXPECT_EQ(score({1, 10, 100}, {-1, -4}), 400);    // -9, -1, 4
  EXPECT_EQ(score({-0.5, 2, 1}, {4, 0}), -2);       // 4, -12, 0: negative through its weight
}

TEST(IndexScore, IsExactlyZeroWhereEveryHeadIsRectified) {
  EXPECT_EQ(index_score(std::vector<double>({1, 0, 2, 0}), std::vector<double>({3, -7}), std::vector<double>({-1, 5})),
            0);
}

TEST(IndexScore, OfQAndMinusQWithOppositeWeightsIsTheProduct) {
  const std::vector<double> pair = {0.5, -2, -0.5, 2};
  EXPECT_EQ(index_score(pair, std::vector<double>({1, -1}), std::vector<double>({4, 3})), -4);
  EXPECT_EQ(index_score(pair, std::vector<double>({1, -1}), std::vector<double>({4, -3})), 8);
}

TEST(IndexScore, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(score({1, 2}, {1, 1}), InternalError);
  EXPECT_THROW(score({1, 2, 3}, {1, 1, 1}), InternalError);
}

}  // namespace
}  // namespace lacuna
