#include "core/mechanism/index_alignment.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lacuna {
namespace {

TEST(IndexAlignment, TakesNopeChannelsAtAStrideAndAllRopeChannels) {
  SharedStateConfig config;
  config.head_dim = 10;
  config.qk_rope = 4;
  config.d_index = 7;
  EXPECT_EQ(aligned_channels(config), (std::vector<Index>{0, 2, 4, 6, 7, 8, 9}));
  config.d_index = 4;
  EXPECT_EQ(aligned_channels(config), (std::vector<Index>{6, 7, 8, 9}));
  config.d_index = 10;
  EXPECT_EQ(aligned_channels(config), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const std::vector<Index> v4 = aligned_channels(SharedStateConfig::v4_flash(4));
  EXPECT_EQ(v4.size(), 128U);
  EXPECT_EQ(v4[1], 7);  // 448 channels at a stride of 7
  EXPECT_EQ(v4[63], 441);
  EXPECT_EQ(v4[64], 448);
}

TEST(IndexAlignment, PairsOfHeadsAreOppositeWhereThereIsRoom) {
  SharedStateConfig config;
  config.d_model = 2;
  config.heads = 2;
  config.head_dim = 2;
  config.qk_rope = 0;
  config.q_lora_rank = 1;
  config.d_index = 1;  // channel 0 of each head
  const Matrix query_up(4, 1, {10, 11, 20, 21});
  const auto column = [](const Matrix& matrix) {
    std::vector<double> first;
    for (Index i = 0; i < matrix.rows(); ++i) first.push_back(matrix.row(i)[0]);
    return first;
  };
  config.index_heads = 5;
  EXPECT_EQ(column(aligned_index_query(config, query_up)), (std::vector<double>{10, -10, 20, -20, 10}));
  EXPECT_EQ(column(aligned_index_weight(config)), (std::vector<double>{1, -1, 1, -1, 0}));
  config.index_heads = 3;
  EXPECT_EQ(column(aligned_index_query(config, query_up)), (std::vector<double>{10, 20, 10}));
  EXPECT_EQ(column(aligned_index_weight(config)), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(aligned_index_weight(config).row(0)[1], 0);
}

TEST(IndexAlignment, CompressorTakesTheChannelsInBothHalves) {
  SharedStateConfig config;
  config.head_dim = 3;
  config.qk_rope = 0;
  config.d_index = 2;  // channels 0 and 1
  config.ratio = 1;
  const CompressorWeights main{Matrix(6, 1, {0, 1, 2, 3, 4, 5}),
                               Matrix(6, 1, {10, 11, 12, 13, 14, 15}),
                               Matrix(1, 6, {20, 21, 22, 23, 24, 25}),
                               {30, 31, 32}};
  const CompressorWeights index = aligned_index_compressor(config, main);
  for (const auto& [half, channel, place] : {std::array<Index, 3>{0, 0, 0}, {0, 1, 1}, {1, 0, 3}, {1, 1, 4}}) {
    EXPECT_EQ(index.kv.row(half * 2 + channel)[0], static_cast<double>(place));
    EXPECT_EQ(index.gate.row(half * 2 + channel)[0], static_cast<double>(place + 10));
    EXPECT_EQ(index.ape.row(0)[half * 2 + channel], static_cast<double>(place + 20));
  }
  EXPECT_EQ(index.gamma, (std::vector<double>{30, 31}));
}

}  // namespace
}  // namespace lacuna
