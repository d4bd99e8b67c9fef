#include "kernels/every_backend.hpp"
#include "kernels/poisoned_rows.hpp"

namespace lacuna::kernels {
namespace {

/// One element more than the contract asks for, to see that it stays untouched.
std::vector<double> block_max(const Backend& backend, const std::vector<double>& s, Index block_size) {
  const Index n = s.size();
  std::vector<double> result((n + block_size - 1) / block_size + 1, 12345.0);
  backend.block_max({s.data(), result.data(), n, block_size});
  EXPECT_EQ(result.back(), 12345.0);
  result.pop_back();
  return result;
}

class BlockMaxContract : public EveryBackend {};
LACUNA_FOR_EVERY_BACKEND(BlockMaxContract);

TEST_P(BlockMaxContract, FiveScoresInBlocksOfTwoByHand) {
  EXPECT_EQ(block_max(backend(), {1, 3, -2, -5, -7}, 2), (std::vector<double>{3, -2, -7}));
}

TEST_P(BlockMaxContract, OneBlockOrOneScorePerBlock) {
  EXPECT_EQ(block_max(backend(), {1, 3, 2}, 3), std::vector<double>{3});
  EXPECT_EQ(block_max(backend(), {1, 3, 2}, 100), std::vector<double>{3});
  EXPECT_EQ(block_max(backend(), {1, 3, 2}, 1), (std::vector<double>{1, 3, 2}));
  EXPECT_TRUE(block_max(backend(), {}, 4).empty());
}

TEST_P(BlockMaxContract, AMaskedBlockIsMinusInfinity) {
  EXPECT_EQ(block_max(backend(), {never, never, never, -1e300}, 2), (std::vector<double>{never, -1e300}));
}

TEST_P(BlockMaxContract, EveryBlockHoldsItsMaximumAtOddSizes) {
  for (const Index n : sizes) {
    const auto s = gaussian_scores(n, 1, 20261129 + n);
    for (const Index block_size : {1, 2, 3, 7, 8, 61, 69, 128}) {
      std::vector<double> expected((n + block_size - 1) / block_size, never);
      for (Index i = 0; i < n; ++i) expected[i / block_size] = std::max(expected[i / block_size], s[i]);
      ASSERT_EQ(block_max(backend(), s, block_size), expected) << "n " << n << ", block size " << block_size;
    }
  }
}

class BlockMaxTwin : public CudaTwin {};

TEST_F(BlockMaxTwin, GivesThePlainBits) {
  for (const Index n : {1, 61, 1011, 100003}) {
    const auto s = gaussian_scores(n, 1, 20261129 + n);
    for (const Index block_size : {1, 7, 128, 5000}) {
      ASSERT_EQ(block_max(twin(), s, block_size), block_max(plain(), s, block_size)) << n << " " << block_size;
    }
  }
}

}  // namespace
}  // namespace lacuna::kernels
