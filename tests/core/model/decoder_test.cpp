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

std::vector<Index> first(const std::vector<Index>& tokens, Index count) {
  return {tokens.begin(), tokens.begin() + count};
}

/// Hidden states of all tokens, appended in chunks of so many.
std::vector<double> hidden_in_chunks(const Decoder& decoder, const std::vector<Index>& tokens, Index chunk) {
  ModelCache cache = decoder.start();
  std::vector<double> hidden;
  for (std::size_t t = 0; t < tokens.size(); t += chunk) {
    const auto part = std::span(tokens).subspan(t, std::min<std::size_t>(chunk, tokens.size() - t));
    const std::vector<double> more = decoder.append(part, cache);
    hidden.insert(hidden.end(), more.begin(), more.end());
  }
  return hidden;
}

std::vector<double> hidden_at_once(const Decoder& decoder, const std::vector<Index>& tokens) {
  return hidden_in_chunks(decoder, tokens, static_cast<Index>(tokens.size()));
}

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

// Appending a token leaves every earlier hidden state as it was, bit for bit: what a cache relies on.
TEST(Decoder, EarlierHiddenStatesDoNotDependOnLaterTokens) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    Random random(9);
    const Decoder decoder(model, random_weights(model, 11));
    const std::vector<Index> tokens = random_tokens(model, 33, random);
    const std::vector<double> hidden = hidden_at_once(decoder, tokens);
    for (const Index kept : {1, 2, 3, 7, 8, 16, 31}) {
      std::vector<Index> other = random_tokens(model, 40, random);
      std::copy_n(tokens.begin(), kept, other.begin());
      const std::vector<double> changed = hidden_at_once(decoder, other);
      const Index numbers = kept * model.d_model;
      ASSERT_TRUE(std::equal(hidden.begin(), hidden.begin() + numbers, changed.begin())) << kept;
      if (other[kept] != tokens[kept]) {
        EXPECT_NE(hidden[numbers + 1], changed[numbers + 1]);
      }
    }
  }
}

TEST(Decoder, PrefillChunksAndDecodeGiveTheSameBits) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    Random random(10);
    const Decoder decoder(model, random_weights(model, 12));
    const std::vector<Index> tokens = random_tokens(model, 29, random);
    const std::vector<double> hidden = hidden_at_once(decoder, tokens);
    for (Index chunk = 1; chunk <= 9; ++chunk) EXPECT_EQ(hidden_in_chunks(decoder, tokens, chunk), hidden) << chunk;
  }
}

TEST(Decoder, GoingOnFromASnapshotEqualsRecomputationAtEverySplit) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    Random random(13);
    const Decoder decoder(model, random_weights(model, 14));
    const std::vector<Index> tokens = random_tokens(model, 21, random);
    const std::vector<double> hidden = hidden_at_once(decoder, tokens);
    ModelCache cache = decoder.start();
    for (std::size_t split = 0; split < tokens.size(); ++split) {
      ModelCache snapshot = cache;
      const std::vector<double> rest = decoder.append(std::span(tokens).subspan(split), snapshot);
      ASSERT_TRUE(std::equal(rest.begin(), rest.end(), hidden.begin() + split * model.d_model)) << split;
      ASSERT_EQ(rest.size(), hidden.size() - split * model.d_model);
      ASSERT_EQ(cache.tokens, split);  // the original did not move
      decoder.append(std::span(tokens).subspan(split, 1), cache);
    }
  }
}

// What would make a cache useless: the definition that the decoder equals, with either departure, gives earlier tokens
// other states once a token is appended; without one it does not.
TEST(CacheInvariance, BidirectionalAttentionChangesEarlierStates) {
  for (const char* preset : {"llama_7b", "gpt2_small"}) {
    const ModelDescription model = small_model(preset, 2);
    Random random(15);
    const ModelWeights weights = random_weights(model, 16);
    const std::vector<Index> tokens = random_tokens(model, 12, random);
    const auto states = [&](Index count, naive::Departure departure) {
      return naive::hidden_states({model, weights, departure}, first(tokens, count))[5];
    };
    EXPECT_EQ(states(11, {}), states(12, {}));
    const naive::RealVector before = states(11, {.bidirectional = true}), after = states(12, {.bidirectional = true});
    naive::Real moved = 0;
    for (std::size_t c = 0; c < before.size(); ++c) moved = std::max(moved, std::abs(before[c] - after[c]));
    EXPECT_GT(moved, 1e-3);
  }
}

TEST(CacheInvariance, PositionsThatDependOnTheLengthChangeEarlierStates) {
  for (const char* preset : {"llama_7b", "gpt2_small"}) {
    const ModelDescription model = small_model(preset, 2);
    Random random(17);
    const ModelWeights weights = random_weights(model, 18);
    const std::vector<Index> tokens = random_tokens(model, 24, random);
    const auto states = [&](Index count) {
      return naive::hidden_states({model, weights, {.positions_stretch_to_length = true}}, first(tokens, count))[9];
    };
    const naive::RealVector before = states(10), after = states(24);
    naive::Real moved = 0;
    for (std::size_t c = 0; c < before.size(); ++c) moved = std::max(moved, std::abs(before[c] - after[c]));
    EXPECT_GT(moved, 1e-3);
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
