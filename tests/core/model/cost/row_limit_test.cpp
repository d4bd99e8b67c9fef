#include "core/model/cost/row_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lacuna {
namespace {

TEST(RowLimit, ATopKReadsAtMostItsBudget) {
  const RowLimit top_k{.most = 512};
  EXPECT_EQ(top_k.rows(0), 0);
  EXPECT_EQ(top_k.rows(511), 511);
  EXPECT_EQ(top_k.rows(512), 512);
  EXPECT_EQ(top_k.rows(1'000'003), 512);
  EXPECT_EQ(RowLimit{}.rows(1'000'003), 1'000'003);
}

// Block by block: the newest block is in the pool, and B - 1 others, all of them complete.
TEST(RowLimit, APoolHoldsItsNewestBlockAsFarAsItIsFilled) {
  for (const std::int64_t size : {1, 2, 3, 8})
    for (const std::int64_t blocks : {1, 2, 5})
      for (std::int64_t n = 1; n <= 60; ++n) {
        std::vector<std::int64_t> filled;  // rows of each block, the newest first
        for (std::int64_t first = 0; first < n; first += size) filled.push_back(std::min(size, n - first));
        std::reverse(filled.begin(), filled.end());
        std::int64_t rows = 0;
        for (std::size_t b = 0; b < filled.size() && b < static_cast<std::size_t>(blocks); ++b) rows += filled[b];
        const RowLimit pool{.most = blocks * size, .block_size = size};
        EXPECT_EQ(pool.rows(n), rows) << n << " rows, " << blocks << " blocks of " << size;
      }
}

TEST(RowLimit, SumsAreThoseOfTheRows) {
  for (const RowLimit limit : {RowLimit{}, RowLimit{.most = 1}, RowLimit{.most = 7},
                               RowLimit{.most = 6, .block_size = 3}, RowLimit{.most = 16, .block_size = 8}}) {
    std::int64_t sum = 0;
    for (std::int64_t n = 0; n <= 70; ++n) {
      sum += limit.rows(n);
      EXPECT_EQ(limit.sum(n), sum) << n << " of at most " << limit.most;
    }
  }
}

TEST(RowLimit, SumsOverTokensCountRowsOfCompleteGroupsOnly) {
  for (const RowLimit limit : {RowLimit{}, RowLimit{.most = 3}, RowLimit{.most = 4, .block_size = 2}})
    for (const std::int64_t ratio : {1, 2, 4, 7}) {
      std::int64_t sum = 0;
      for (std::int64_t tokens = 0; tokens <= 50; ++tokens) {
        sum += limit.rows(tokens / ratio);
        EXPECT_EQ(limit.sum_over_tokens(tokens, ratio), sum) << tokens << " tokens, " << ratio << " to a row";
      }
    }
}

}  // namespace
}  // namespace lacuna
