#include "core/base/suggestion.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("block", "blocks"), 1u);
  EXPECT_EQ(edit_distance("blocks", "block"), 1u);
  EXPECT_EQ(edit_distance("blocks", "clocks"), 1u);
  EXPECT_EQ(edit_distance("blokcs", "blocks"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(DidYouMean, NamesTheNearestCandidate) {
  EXPECT_EQ(did_you_mean("blokcs", {"block_size", "blocks", "rank_by"}), "; did you mean 'blocks'?");
  EXPECT_EQ(did_you_mean("blok_size", {"block_size", "blocks"}), "; did you mean 'block_size'?");
}

TEST(DidYouMean, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("temperature", {"blocks", "k"}), "");
  EXPECT_EQ(did_you_mean("n", {"k"}), "");  // one letter, and that one wrong
  EXPECT_EQ(did_you_mean("", {"k"}), "");
  EXPECT_EQ(did_you_mean("blocks", {}), "");
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'x'), {"blocks"}), "");
}

}  // namespace
}  // namespace lacuna
