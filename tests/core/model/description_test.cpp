#include "core/model/description.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/model/preset.hpp"
#include "core/model/presets/v41.hpp"
#include "core/model/presets/yoco.hpp"
#include "core/model/scaled.hpp"

namespace lacuna {
namespace {

/// How many layers of shared state have each ratio.
std::map<Index, Index> layers_by_ratio(const ModelDescription& model) {
  std::map<Index, Index> count;
  for (const LayerDescription& layer : model.layers) ++count[std::get<SharedStateConfig>(layer.attention).ratio];
  return count;
}

std::string fault_of(const ModelDescription& model) {
  try {
    model.check();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelDescription, EveryPresetIsConsistent) {
  ASSERT_EQ(ModelPresetRegistry::instance().kinds().size(), 12U);
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) {
    SCOPED_TRACE(preset.name);
    EXPECT_EQ(fault_of(preset.describe()), "");
    EXPECT_EQ(describe_model(preset.name).name, preset.name);
  }
}

TEST(ModelDescription, AnUnknownPresetNamesTheKnownOnes) {
  try {
    describe_model("v5");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("v41_flash"), std::string::npos);
  }
}

TEST(ModelDescription, V4LayersHaveThePublishedRatios) {
  EXPECT_EQ(layers_by_ratio(describe_model("v4_flash")), (std::map<Index, Index>{{0, 2}, {4, 21}, {128, 20}}));
  EXPECT_EQ(layers_by_ratio(describe_model("v4_pro")), (std::map<Index, Index>{{4, 30}, {128, 31}}));
}

TEST(ModelDescription, V41HasFourFullFourReindexThirtyReuseAndTwoWindowLayers) {
  const ModelDescription model = describe_model("v41_flash");
  EXPECT_EQ(layers_by_ratio(model), (std::map<Index, Index>{{0, 2}, {2, 18}, {1, 20}}));
  Index full = 0, reindex = 0, reuse = 0, window = 0;
  for (const LayerDescription& layer : model.layers) {
    full += layer.owns_rows() && layer.owns_indexer();
    reindex += layer.rows_of.has_value() && layer.owns_indexer();
    reuse += layer.rows_of.has_value() && layer.selection_of.has_value();
    window += !layer.rows_of && !layer.owns_rows() && layer.local_window() == 128;
  }
  EXPECT_EQ(full, 4);
  EXPECT_EQ(reindex, 4);
  EXPECT_EQ(reuse, 30);
  EXPECT_EQ(window, 2);
  EXPECT_EQ(model.layers[27].rows_of, 20);
  EXPECT_EQ(model.layers[27].selection_of, 24);
  EXPECT_EQ(model.layers[13].rows_of, 8);
  EXPECT_EQ(model.layers[13].selection_of, 8);
}

TEST(ModelDescription, SmallV41HasEveryModeOnBothSidesOfTheEncoder) {
  const ModelDescription model = v41_small(32);
  EXPECT_EQ(fault_of(model), "");
  EXPECT_EQ(layers_by_ratio(model), (std::map<Index, Index>{{0, 2}, {2, 6}, {1, 8}}));
  EXPECT_TRUE(model.layers[8].owns_rows());
  EXPECT_EQ(model.layers[11].rows_of, 8);
  EXPECT_TRUE(model.layers[11].owns_indexer());
  EXPECT_EQ(model.layers[12].selection_of, 11);
}

TEST(ModelDescription, OneLayerOfYocoOwnsTheRowsOfItsCrossDecoder) {
  for (const char* name : {"yoco", "yoco_window"}) {
    const ModelDescription model = describe_model(name);
    Index owners = 0;
    for (const LayerDescription& layer : model.layers) owners += layer.owns_rows();
    EXPECT_EQ(owners, 1);
    EXPECT_TRUE(model.layers[model.encoder_layers].owns_rows());
    EXPECT_EQ(model.layers.back().rows_of, model.layers[model.encoder_layers].label);
  }
}

TEST(ModelDescription, ScalingKeepsThePattern) {
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) {
    SCOPED_TRACE(preset.name);
    const ModelDescription published = preset.describe();
    const ModelDescription small = scaled(published, {.d_model = 32, .vocabulary = 50, .window = 5, .top_k = 3});
    EXPECT_EQ(fault_of(small), "");
    ASSERT_EQ(small.layers.size(), published.layers.size());
    for (std::size_t i = 0; i < small.layers.size(); ++i) {
      const LayerDescription &a = published.layers[i], &b = small.layers[i];
      EXPECT_EQ(a.attention.index(), b.attention.index());
      EXPECT_EQ(a.rows_of, b.rows_of);
      EXPECT_EQ(a.selection_of, b.selection_of);
      EXPECT_EQ(a.owns_rows(), b.owns_rows());
      EXPECT_EQ(a.owns_indexer(), b.owns_indexer());
      EXPECT_EQ(a.local_window() > 0, b.local_window() > 0);
      EXPECT_EQ(b.d_model(), 32);
    }
  }
}

TEST(ModelDescription, TheFirstLayersOfAModelThatNeedLaterOnesAreRefused) {
  EXPECT_NO_THROW(scaled(describe_model("llama_7b"), {}, 2));
  EXPECT_THROW(scaled(describe_model("yoco"), {}, 5), UsageError);  // an encoder without a layer behind it
  EXPECT_THROW(scaled(describe_model("llama_7b"), {.d_model = 24}), UsageError);
}

TEST(ModelDescription, CheckNamesTheField) {
  const auto faulty = [](auto&& change) {
    ModelDescription model = v41_small(32);
    change(model);
    return fault_of(model);
  };
  const auto names = [](const std::string& message, const std::string& field) {
    EXPECT_NE(message.find(field), std::string::npos) << "'" << message << "' does not name " << field;
  };
  names(faulty([](auto& m) { m.vocabulary = 0; }), "vocabulary");
  names(faulty([](auto& m) { m.d_model = 48; }), "layer 0: d_model");
  names(faulty([](auto& m) { m.eps = -1; }), "eps");
  names(faulty([](auto& m) { m.learned_positions = -1; }), "learned_positions");
  names(faulty([](auto& m) { m.embedding_scale = 0; }), "embedding_scale");
  names(faulty([](auto& m) { m.layers.clear(); }), "layers");
  names(faulty([](auto& m) { m.layers[3].label = 2; }), "layer 2: label");
  names(faulty([](auto& m) { m.layers[3].rows_of = 9; }), "layer 3: rows_of");
  names(faulty([](auto& m) { m.layers[3].rows_of = 1; }), "layer 3: rows_of");
  names(faulty([](auto& m) { m.layers[3].rows_of.reset(); }), "layer 3: rows_of");
  names(faulty([](auto& m) { m.layers[9].rows_of = 5; }), "layer 9: rows_of");  // entries of two tokens, not of one
  names(faulty([](auto& m) { m.layers[2].rows_of = 1; }), "layer 2: rows_of");
  names(faulty([](auto& m) {
          std::get<SharedStateConfig>(m.layers[8].attention).owns_indexer = false;  // the keys of layers 11 and 14
          m.layers[8].top_k = 0;
          for (const Index label : {9, 10}) m.layers[label].selection_of = 5;
        }),
        "layer 11: rows_of");
  names(faulty([](auto& m) { m.layers[3].selection_of = 0; }), "layer 3: selection_of");
  names(faulty([](auto& m) { m.layers[5].selection_of = 2; }), "layer 5: selection_of");
  names(faulty([](auto& m) { m.layers[3].top_k = 4; }), "layer 3: top_k");
  names(faulty([](auto& m) { m.layers[2].top_k = -1; }), "layer 2: top_k");
  names(faulty([](auto& m) { m.layers[4].feed_forward.width = 0; }), "layer 4: feed_forward.width");
  names(faulty([](auto& m) { m.layers[4].feed_forward.bias = true; }), "layer 4: feed_forward.bias");
  names(faulty([](auto& m) { std::get<SharedStateConfig>(m.layers[6].attention).o_groups = 3; }), "layer 6: o_groups");
  names(faulty([](auto& m) { m.encoder_layers = 16; }), "encoder_layers");
  names(faulty([](auto& m) { m.encoder_layers = 2; }), "layer 5: ");  // rows of its own behind the encoder
  names(faulty([](auto& m) { m.pool->blocks = 0; }), "pool.blocks");
  names(faulty([](auto& m) { m.pool->block_size = 0; }), "pool.block_size");
  names(faulty([](auto& m) { m.pool->from_layer = 9; }), "pool.from_layer");
}

}  // namespace
}  // namespace lacuna
