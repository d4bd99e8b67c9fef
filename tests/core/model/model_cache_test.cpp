#include "core/model/model_cache.hpp"

#include <gtest/gtest.h>

#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// The cache behind so many tokens.
ModelCache cache_after(const ModelDescription& model, Index tokens) {
  Random random(1);
  const Decoder decoder(model, random_weights(model, 2));
  ModelCache cache = decoder.start();
  decoder.append(random_tokens(model, tokens, random), cache);
  return cache;
}

std::vector<Index> bytes_by_layer(const ModelCache& cache) {
  std::vector<Index> bytes;
  for (const LayerState& state : cache.layers) bytes.push_back(state_bytes(state));
  return bytes;
}

TEST(ModelCache, OfLlamaHoldsKeysValuesAndPositionsOfEveryToken) {
  const ModelCache cache = cache_after(small_model("v1_67b", 3), 11);
  EXPECT_EQ(bytes_by_layer(cache), std::vector<Index>(3, 11 * 8 * (2 * 2 * 8 + 1)));  // 2 KV heads of 8 channels
  EXPECT_EQ(cache.bytes(), 3 * 11 * 8 * 33);
}

TEST(ModelCache, OfMlaHoldsOneLatentRowPerToken) {
  EXPECT_EQ(bytes_by_layer(cache_after(small_mla("v3"), 7)), std::vector<Index>(3, 7 * 8 * (8 + 4 + 1)));
}

TEST(ModelCache, OfYocoHoldsStatesOfOneSizeAndOneGlobalKeyAndValueCache) {
  const ModelDescription model = small_yoco(SelfDecoder::retention);
  const Index state = 4 * 8 * 8 * 8;  // 4 heads of 8 by 8 numbers
  for (const Index tokens : {0, 1, 19})
    EXPECT_EQ(bytes_by_layer(cache_after(model, tokens)),
              (std::vector<Index>{state, state, state, tokens * 8 * (2 * 2 * 8 + 1), 0, 0}));
}

TEST(ModelCache, OfV41HoldsEntriesOncePerOwner) {
  const ModelDescription model = v41_small(32);
  const ModelCache cache = cache_after(model, 12);
  const Index local = 12 * 8 * 16;
  for (std::size_t place = 0; place < model.layers.size(); ++place) {
    const LayerCache& layer = std::get<LayerCache>(cache.layers[place]);
    const Index entries = model.layers[place].owns_rows() ? (place < 8 ? 6 : 12) : 0;
    EXPECT_EQ(layer.rows(), entries) << place;
    EXPECT_EQ(state_bytes(cache.layers[place]), local + entries * 8 * (16 + 1 + 8)) << place;  // no open group
  }
}

}  // namespace
}  // namespace lacuna
