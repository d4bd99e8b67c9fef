#include "core/model/decoder.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "model/naive_decoder.hpp"
#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;
namespace naive = testing_core::naive;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Attends exactly and records which layers got a NaN, which goes no further.
class ContainingAttend final : public AttendLayer {
 public:
  std::vector<double> attend(Index label, const LayerInputs& inputs) override {
    std::vector<double> o = exact_.attend(label, inputs);
    if (std::ranges::none_of(o, [](double c) { return std::isnan(c); })) return o;
    poisoned.push_back(label);
    return std::vector<double>(o.size(), 0.0);
  }
  std::vector<Index> poisoned;

 private:
  ExactAttend exact_;
};

void poison(std::vector<std::vector<double>>& heads) {
  for (std::vector<double>& rows : heads) std::ranges::fill(rows, kNan);
}

TEST(Decoder, EqualsItsEquationsOverTheWholeSequence) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    Random random(7);
    for (const Index n : {1, 2, 26}) {
      const ModelWeights weights = random_weights(model, random.word());
      const std::vector<Index> tokens = random_tokens(model, n, random);
      const std::vector<double> hidden = hidden_at_once(Decoder(model, weights), tokens);
      const naive::RealRows exact = naive::hidden_states({model, weights}, tokens);
      EXPECT_LT(shared_state::largest_error(hidden, exact), 1e-11);
    }
  }
}

TEST(Decoder, OfV4ReadsEntriesOf128Tokens) {
  const ModelDescription model = small_model("v4_flash", 4);
  Random random(8);
  const ModelWeights weights = random_weights(model, 3);
  const std::vector<Index> tokens = random_tokens(model, 131, random);
  const std::vector<double> hidden = hidden_at_once(Decoder(model, weights), tokens);
  EXPECT_LT(shared_state::largest_error(hidden, naive::hidden_states({model, weights}, tokens)), 1e-11);
}

TEST(Decoder, LogitsAreTheVocabularyMapOfTheNormedState) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    const ModelWeights weights = random_weights(model, 5);
    const Decoder decoder(model, weights);
    ModelCache cache = decoder.start();
    const std::vector<Index> tokens = {3};
    const std::vector<double> hidden = decoder.append(tokens, cache);
    naive::RealVector x(hidden.begin(), hidden.end());
    if (model.norm_place == NormPlace::before) x = naive::norm_of({model, weights}, weights.final_norm, x);
    const Matrix& map = model.tied_vocabulary ? weights.embedding : weights.vocabulary;
    EXPECT_LT(shared_state::largest_error(decoder.logits(hidden),
                                          {naive::add(naive::project(map, x), weights.vocabulary_bias)}),
              1e-13);
  }
}

/// Layers whose attention meets a NaN when the rows of one layer are NaN.
std::vector<Index> readers_of_rows(const ModelDescription& model, Index label) {
  const Decoder decoder(model, random_weights(model, 19));
  Random random(20);
  ModelCache cache = decoder.start();
  decoder.append(random_tokens(model, 18, random), cache);
  LayerCache& owner = std::get<LayerCache>(cache.layers[model.place_of(label)]);
  poison(owner.k);
  poison(owner.v);
  ContainingAttend attend;
  const std::vector<Index> next = {1};
  decoder.append(next, cache, attend);
  return attend.poisoned;
}

TEST(SharedRows, ReuseAndReindexLayersReadTheirOwnersEntries) {
  const ModelDescription model = v41_small(32);
  EXPECT_EQ(readers_of_rows(model, 1), std::vector<Index>());
  EXPECT_EQ(readers_of_rows(model, 2), (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(readers_of_rows(model, 5), (std::vector<Index>{5, 6, 7}));
  EXPECT_EQ(readers_of_rows(model, 8), (std::vector<Index>{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(SharedRows, EveryLayerOfYocosCrossDecoderReadsOneGlobalCache) {
  for (const SelfDecoder self_decoder : {SelfDecoder::retention, SelfDecoder::sliding_window}) {
    const ModelDescription model = small_yoco(self_decoder);
    EXPECT_EQ(readers_of_rows(model, 3), (std::vector<Index>{3, 4, 5}));
  }
}

TEST(SharedRows, LayersOfTheirOwnReadNoOthers) {
  const ModelDescription model = small_model("llama_7b", 3);
  for (const Index label : {0, 1, 2}) EXPECT_EQ(readers_of_rows(model, label), std::vector<Index>{label});
}

TEST(SharedRows, GlobalRowsOfAnEncoderDependOnTheEncoderAlone) {
  for (const ModelDescription& model : {v41_small(32), small_yoco(SelfDecoder::retention)}) {
    SCOPED_TRACE(model.name);
    Random random(21);
    ModelWeights weights = random_weights(model, 22);
    const ModelWeights other = random_weights(model, 23);
    const std::vector<Index> tokens = random_tokens(model, 17, random);
    const auto rows = [&](const ModelWeights& used) {
      const Decoder decoder(model, used);
      ModelCache cache = decoder.start();
      decoder.append(tokens, cache);
      return std::get<LayerCache>(cache.layers[model.encoder_layers]);
    };
    const LayerCache before = rows(weights);
    for (std::size_t place = model.encoder_layers + 1; place < model.layers.size(); ++place)
      weights.layers[place] = other.layers[place];
    const LayerCache after = rows(weights);
    EXPECT_FALSE(before.k[0].empty());
    EXPECT_EQ(before.k, after.k);
    EXPECT_EQ(before.v, after.v);
    weights.layers[model.encoder_layers - 1] = other.layers[model.encoder_layers - 1];
    EXPECT_NE(rows(weights).k, before.k);
  }
}

TEST(Decoder, NeverReadsLocalRowsThatLeftTheWindow) {
  for (const ModelDescription& model : {small_v4(), v41_small(32), small_yoco(SelfDecoder::sliding_window)}) {
    SCOPED_TRACE(model.name);
    Random random(24);
    const Decoder decoder(model, random_weights(model, 25));
    ModelCache cache = decoder.start();
    decoder.append(random_tokens(model, 20, random), cache);
    ModelCache poisoned = cache;
    Index with_window = 0;
    for (std::size_t place = 0; place < model.layers.size(); ++place) {
      const Index window = model.layers[place].local_window();
      if (window == 0) continue;
      ++with_window;
      LayerCache& layer = std::get<LayerCache>(poisoned.layers[place]);
      const Index left = 20 - (window - 1);  // tokens that the query at position 20 no longer sees
      for (auto* rows : {&layer.local, &layer.local_v})
        for (std::vector<double>& head : *rows)
          std::fill_n(head.begin(), left * static_cast<Index>(head.size()) / 20, kNan);
    }
    EXPECT_GE(with_window, 3);
    const std::vector<Index> next = {2};
    EXPECT_EQ(decoder.append(next, poisoned), decoder.append(next, cache));
  }
}

TEST(Decoder, RefusesTokensAndPositionsThatHaveNoEmbeddingAndAppendsNothing) {
  ModelDescription model = small_model("gpt2_small", 1);
  model.learned_positions = 6;
  const Decoder decoder(model, random_weights(model, 26));
  ModelCache cache = decoder.start();
  const std::vector<Index> five(5, 1);
  decoder.append(five, cache);
  const Index bytes = cache.bytes();
  for (const std::vector<Index>& tokens : {std::vector<Index>{1, 40}, {1, -1}, {1, 1}}) {
    EXPECT_THROW(decoder.append(tokens, cache), InputError);
    EXPECT_EQ(cache.tokens, 5);
    EXPECT_EQ(cache.bytes(), bytes);
  }
  const std::vector<Index> one = {39};
  EXPECT_NO_THROW(decoder.append(one, cache));
}

}  // namespace
}  // namespace lacuna
