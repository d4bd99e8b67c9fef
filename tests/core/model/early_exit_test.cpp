// Prefill that ends with the encoder for all tokens but the last (YOCO).
#include <gtest/gtest.h>

#include "core/model/cost/positions.hpp"
#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

std::vector<ModelDescription> models_that_exit() {
  return {small_yoco(SelfDecoder::retention), small_yoco(SelfDecoder::sliding_window), small_model("yoco", 0),
          small_model("yoco_window", 0)};
}

/// Counts the layers that attend, once for every token.
class CountingAttend final : public AttendLayer {
 public:
  std::vector<double> attend(Index label, const LayerInputs& inputs) override {
    ++count;
    return exact_.attend(label, inputs);
  }
  Index count = 0;

 private:
  ExactAttend exact_;
};

void expect_same(const LayerState& a, const LayerState& b) {
  ASSERT_EQ(a.index(), b.index());
  if (const auto* retention = std::get_if<RetentionState>(&a)) {
    EXPECT_EQ(retention->s, std::get<RetentionState>(b).s);
    return;
  }
  const LayerCache &x = std::get<LayerCache>(a), &y = std::get<LayerCache>(b);
  EXPECT_EQ(x.tokens, y.tokens);
  EXPECT_EQ(x.k, y.k);
  EXPECT_EQ(x.v, y.v);
  EXPECT_EQ(x.key_position, y.key_position);
  EXPECT_EQ(x.local, y.local);
  EXPECT_EQ(x.local_v, y.local_v);
}

void expect_same(const ModelCache& a, const ModelCache& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (std::size_t place = 0; place < a.layers.size(); ++place) expect_same(a.layers[place], b.layers[place]);
}

TEST(EarlyExit, GivesTheLastTokensAndTheCacheOfTheFullRun) {
  for (const ModelDescription& model : models_that_exit()) {
    SCOPED_TRACE(model.name);
    Random random(31);
    const Decoder decoder(model, random_weights(model, 32));
    const std::vector<Index> tokens = random_tokens(model, 23, random);
    ModelCache full = decoder.start();
    const std::vector<double> hidden = decoder.append(tokens, full);
    for (const Index count : {0, 1, 2, 9, 23}) {
      ModelCache cache = decoder.start();
      const std::vector<double> last = decoder.append_last(tokens, count, cache);
      EXPECT_EQ(last, std::vector<double>(hidden.end() - count * model.d_model, hidden.end())) << count;
      expect_same(cache, full);
    }
  }
}

TEST(EarlyExit, PrefillInChunksAndDecodeGiveTheBitsOfTheFullRun) {
  for (const ModelDescription& model : models_that_exit()) {
    SCOPED_TRACE(model.name);
    Random random(33);
    const Decoder decoder(model, random_weights(model, 34));
    const std::vector<Index> tokens = random_tokens(model, 20, random);
    const std::vector<double> hidden = hidden_at_once(decoder, tokens);
    for (std::size_t split = 1; split < tokens.size(); ++split) {
      ModelCache cache = decoder.start();
      decoder.append_last(std::span(tokens).first(split / 2), 0, cache);
      decoder.append_last(std::span(tokens).subspan(split / 2, split - split / 2), 1, cache);
      const std::vector<double> rest = decoder.append(std::span(tokens).subspan(split), cache);
      ASSERT_TRUE(std::equal(rest.rbegin(), rest.rend(), hidden.rbegin())) << split;
      ASSERT_EQ(rest.size(), (tokens.size() - split) * model.d_model);
    }
  }
}

TEST(EarlyExit, TakesTheLayerTokensOfTheFormula) {
  const ModelDescription model = small_model("yoco_window", 0);  // 26 layers that all attend, 13 of them the encoder
  const Decoder decoder(model, random_weights(model, 35));
  Random random(36);
  const std::vector<Index> tokens = random_tokens(model, 17, random);
  const auto layer_tokens = [&](auto&& append) {
    ModelCache cache = decoder.start();
    CountingAttend attend;
    append(cache, attend);
    return attend.count;
  };
  EXPECT_EQ(layer_tokens([&](ModelCache& cache, AttendLayer& a) { decoder.append(tokens, cache, a); }), 17 * 26);
  EXPECT_EQ(full_layer_tokens(model, 17), 17 * 26);
  EXPECT_EQ(layer_tokens([&](ModelCache& cache, AttendLayer& a) { decoder.append_last(tokens, 1, cache, a); }),
            17 * 13 + 13);
  EXPECT_EQ(prefill_layer_tokens(model, 17), 17 * 13 + 13);
  EXPECT_EQ(layer_tokens([&](ModelCache& cache, AttendLayer& a) { decoder.append_last(tokens, 0, cache, a); }),
            17 * 13);
}

TEST(EarlyExit, IsAPropertyOfTheDescription) {
  for (const ModelDescription& model : every_stack())
    EXPECT_EQ(model.memory_ends_with_encoder(), model.name.starts_with("yoco")) << model.name;
  ModelDescription model = small_yoco(SelfDecoder::sliding_window);
  model.encoder_layers = 0;
  EXPECT_FALSE(model.memory_ends_with_encoder());
  model.encoder_layers = 2;  // layer 2 has a window, whose rows a skipped token would not leave
  model.layers[3].rows_of.reset();
  EXPECT_FALSE(model.memory_ends_with_encoder());
}

TEST(EarlyExitFaults, AreRefusedBeforeAnythingIsAppended) {
  const ModelDescription v41 = v41_small(32);  // its decoder layers have windows
  const Decoder with_windows(v41, random_weights(v41, 37));
  ModelCache cache = with_windows.start();
  const std::vector<Index> tokens = {1, 2, 3};
  EXPECT_THROW(with_windows.append_last(tokens, 1, cache), UsageError);
  EXPECT_EQ(cache.tokens, 0);

  const ModelDescription yoco = small_yoco(SelfDecoder::retention);
  const Decoder decoder(yoco, random_weights(yoco, 38));
  cache = decoder.start();
  EXPECT_THROW(decoder.append_last(tokens, -1, cache), UsageError);
  EXPECT_THROW(decoder.append_last(tokens, 4, cache), UsageError);
  EXPECT_THROW(decoder.append_last(std::vector<Index>{1, 40}, 1, cache), InputError);
  EXPECT_EQ(cache.tokens, 0);
}

}  // namespace
}  // namespace lacuna
