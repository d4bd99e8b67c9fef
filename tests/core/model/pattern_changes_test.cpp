#include "core/model/pattern_changes.hpp"

#include <gtest/gtest.h>

#include "core/model/preset.hpp"

namespace lacuna {
namespace {

std::string fault_of(const ModelDescription& model, const PatternChanges& changes) {
  try {
    changed(model, changes);
  } catch (const PatternFault& fault) {
    return fault.field + ": " + fault.what();
  }
  return "";
}

std::vector<Index> owners(const ModelDescription& model) {
  std::vector<Index> labels;
  for (const LayerDescription& layer : model.layers)
    if (layer.owns_rows()) labels.push_back(layer.label);
  return labels;
}

TEST(PatternChanges, NothingChangesNothing) {
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) {
    const ModelDescription model = describe_model(preset.name);
    const ModelDescription same = changed(model, {});
    ASSERT_EQ(same.layers.size(), model.layers.size()) << preset.name;
    EXPECT_EQ(owners(same), owners(model)) << preset.name;
    EXPECT_EQ(same.encoder_layers, model.encoder_layers) << preset.name;
    EXPECT_EQ(same.pool.has_value(), model.pool.has_value()) << preset.name;
  }
}

// The published sources, given as a change to a model that shares nothing, restore it.
TEST(PatternChanges, SourcesUndoWhatSharingNothingDid) {
  const ModelDescription published = describe_model("v41_flash");
  const ModelDescription apart = changed(published, {.shared = false});
  EXPECT_EQ(owners(apart).size(), 38u);
  EXPECT_EQ(apart.encoder_layers, 0);
  const ModelDescription again = changed(apart, {.row_sources = std::vector<Index>{2, 8, 14, 20},
                                                 .index_sources = std::vector<Index>{2, 8, 14, 20, 24, 28, 32, 36}});
  for (std::size_t place = 0; place < published.layers.size(); ++place) {
    const LayerDescription& layer = again.layers[place];
    EXPECT_EQ(layer.rows_of, published.layers[place].rows_of) << place;
    EXPECT_EQ(layer.selection_of, published.layers[place].selection_of) << place;
    EXPECT_EQ(layer.top_k, published.layers[place].top_k) << place;
    EXPECT_EQ(layer.owns_rows(), published.layers[place].owns_rows()) << place;
    EXPECT_EQ(layer.owns_indexer(), published.layers[place].owns_indexer()) << place;
  }
}

TEST(PatternChanges, AReaderTakesTheLatestSourceOfItsRatio) {
  const ModelDescription model = changed(describe_model("v4_flash"), {.row_sources = std::vector<Index>{2, 3, 20, 31}});
  EXPECT_EQ(owners(model), (std::vector<Index>{2, 3, 20, 31}));
  const auto rows_of = [&](Index label) { return model.layers[label].rows_of; };
  EXPECT_EQ(rows_of(18), 2);   // 4 tokens
  EXPECT_EQ(rows_of(22), 20);  // 4 tokens
  EXPECT_EQ(rows_of(29), 3);   // 128 tokens, past layer 20
  EXPECT_EQ(rows_of(33), 31);
  EXPECT_EQ(model.layers[22].selection_of, 20);
  EXPECT_FALSE(model.layers[29].selection_of.has_value());  // HCA reads every entry
  EXPECT_FALSE(rows_of(1).has_value());                     // a window alone
}

TEST(PatternChanges, GroupedQueryLayersCanShareRowsAsWell) {
  const ModelDescription model = changed(describe_model("llama_7b"), {.row_sources = std::vector<Index>{0, 16}});
  EXPECT_EQ(model.layers[15].rows_of, 0);
  EXPECT_EQ(model.layers[31].rows_of, 16);
}

TEST(PatternChanges, RatiosDecideWhichLayersOfV4HaveAnIndexer) {
  std::vector<Index> ratios(40, 4);
  ratios[0] = 0;
  ratios[7] = 128;
  const ModelDescription model = changed(describe_model("v4_flash"), {.layers = 40, .ratios = ratios});
  EXPECT_FALSE(model.layers[0].owns_rows());
  EXPECT_TRUE(model.layers[1].owns_indexer());
  EXPECT_EQ(model.layers[1].top_k, 512);
  EXPECT_FALSE(model.layers[7].owns_indexer());
  EXPECT_EQ(model.layers[7].top_k, 0);
}

TEST(PatternChanges, LayersTakeTheirPoolAndEncoderWithThem) {
  const ModelDescription model = changed(describe_model("v41_flash"), {.layers = 20});
  EXPECT_FALSE(model.pool.has_value());
  EXPECT_EQ(model.encoder_layers, 0);
  const ModelDescription longer = changed(describe_model("v41_flash"), {.layers = 24});
  EXPECT_TRUE(longer.pool.has_value());
  EXPECT_EQ(longer.encoder_layers, 20);
}

TEST(PatternChanges, WindowsAndSelectionsChangeWhereThereAreAny) {
  const ModelDescription model = changed(describe_model("v41_flash"), {.local_window = 64, .top_k = 100});
  for (const LayerDescription& layer : model.layers) {
    EXPECT_EQ(layer.local_window(), 64);
    EXPECT_EQ(layer.top_k, layer.owns_indexer() ? 100 : 0);
  }
}

TEST(PatternChangesFaults, NameTheField) {
  const ModelDescription v41 = describe_model("v41_flash");
  const ModelDescription v1 = describe_model("v1_67b");
  EXPECT_EQ(fault_of(v41, {.layers = 41}), "layers: layers is 41; the model has 40");
  EXPECT_EQ(fault_of(v41, {.ratios = std::vector<Index>{1}}), "ratios: ratios has 1 numbers; the model has 40 layers");
  EXPECT_EQ(fault_of(v1, {.ratios = std::vector<Index>(95, 4)}),
            "ratios: ratios: layer 0 has no shared state to compress");
  EXPECT_EQ(fault_of(describe_model("v4_flash"), {.ratios = std::vector<Index>(43, 5)}),
            "ratios: ratios: layer 0: ratio is 5; the layers of V4-Flash have 0, 4 or 128");
  EXPECT_EQ(fault_of(v1, {.kv_heads = 7}), "kv_heads: kv_heads is 7; it must divide 64");
  EXPECT_EQ(fault_of(v41, {.kv_heads = 8}), "kv_heads: kv_heads: layer 0 has no KV heads of its own");
  EXPECT_EQ(fault_of(v41, {.row_sources = std::vector<Index>{99}}),
            "row_sources: row_sources names 99, which is none of the model's layers");
  EXPECT_EQ(fault_of(v41, {.row_sources = std::vector<Index>{0, 2}}),
            "row_sources: row_sources names layer 0, which has no rows that others can read");
  EXPECT_EQ(fault_of(v41, {.row_sources = std::vector<Index>{2}}),
            "row_sources: row_sources: layer 20 stands before every source of its ratio");
  EXPECT_EQ(fault_of(v41, {.index_sources = std::vector<Index>{2, 20}}),
            "index_sources: index_sources: layer 8 owns rows that nothing would index");
  EXPECT_EQ(fault_of(v41, {.shared = false, .row_sources = std::vector<Index>{2, 20}}),
            "shared: shared is false; there are no sources then");
  EXPECT_EQ(fault_of(describe_model("v3"), {.local_window = 64}),
            "local_window: local_window: no layer of the model has a window");
  EXPECT_EQ(fault_of(v1, {.top_k = 64}), "top_k: top_k: no layer of the model has an indexer");
  EXPECT_EQ(fault_of(v41, {.pool = CandidatePool{.blocks = 8, .block_size = 8, .from_layer = 3}}),
            "pool.from_layer: pool.from_layer is 3, which is no layer with an indexer");
  EXPECT_EQ(fault_of(v1, {.pool = CandidatePool{.blocks = 8, .block_size = 8, .from_layer = 95}}),
            "pool.from_layer: pool.from_layer is 95, which is no layer with an indexer");
}

// Whether the pieces fit is the description's own check.
TEST(PatternChangesFaults, ComeFromTheDescriptionWhereSeveralFieldsDisagree) {
  std::vector<Index> ratios(40, 2);
  ratios[0] = ratios[1] = 0;
  ratios[5] = 4;
  EXPECT_EQ(fault_of(describe_model("v41_flash"), {.ratios = ratios}),
            ": layer 5: rows_of is 2, whose rows have other extents");
}

}  // namespace
}  // namespace lacuna
