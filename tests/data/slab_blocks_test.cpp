#include "data/hdf5/slab_blocks.hpp"

#include <gtest/gtest.h>

namespace lacuna::hdf5 {
namespace {

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) cells *= extent;
  return cells;
}

TEST(SlabBlocks, FollowOneAnotherInRowMajorOrderAndLeaveNothingOut) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::int64_t> extents(random() % 5);
    for (std::int64_t& extent : extents) extent = 1 + random() % 40;
    const std::int64_t element_bytes = std::int64_t{8} << 20 >> (random() % 12);  // so that 1 to 2048 fit
    std::int64_t next = 0;
    for (SlabBlocks blocks(extents, element_bytes); !blocks.done(); blocks.next()) {
      std::int64_t first = 0;
      for (std::size_t i = 0; i < extents.size(); ++i) first = first * extents[i] + blocks.start()[i];
      EXPECT_EQ(first, next);
      next += product(blocks.count());
      EXPECT_LE(product(blocks.count()) * element_bytes, std::int64_t{8} << 20);
    }
    EXPECT_EQ(next, product(extents));
  }
}

TEST(SlabBlocks, OfNothingAreNoneAndOfAScalarIsOne) {
  EXPECT_TRUE(SlabBlocks({3, 0, 2}, 8).done());
  SlabBlocks scalar({}, 8);
  EXPECT_FALSE(scalar.done());
  EXPECT_TRUE(scalar.count().empty());
  scalar.next();
  EXPECT_TRUE(scalar.done());
}

}  // namespace
}  // namespace lacuna::hdf5
