#include "core/model/encoder_decoder/encoder_decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/naive_decoder.hpp"
#include "support/random.hpp"

namespace lacuna {
namespace {

using namespace testing_core;
namespace naive = testing_core::naive;

EncoderDecoderDescription small_transformer(bool attention_bias = false) {
  return transformer_2017(
      {.layers = 3, .vocabulary = 23, .d_model = 16, .heads = 4, .feed_forward = 24, .attention_bias = attention_bias});
}

EncoderDecoder small_model(std::uint64_t seed) {
  const EncoderDecoderDescription model = small_transformer();
  return {model, EncoderDecoderWeights::random(model, 2, seed)};
}

std::vector<Index> random_tokens(Index count, Random& random) {
  std::vector<Index> tokens;
  for (Index t = 0; t < count; ++t) tokens.push_back(random.integer(0, 22));
  return tokens;
}

/// The definition over whole sequences in long double, of which the pieces are a decoder's (naive_decoder.hpp).
class Definition {
 public:
  Definition(const EncoderDecoderDescription& model, const EncoderDecoderWeights& weights)
      : model_(model),
        weights_(weights),
        norms_{.d_model = model.d_model, .norm = NormKind::layer_norm, .eps = model.eps} {}

  naive::RealRows embedded(const std::vector<Index>& tokens) const {
    naive::RealRows h;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      naive::RealVector row;
      for (Index c = 0; c < model_.d_model; ++c) {
        const naive::Real angle =
            t / std::pow<naive::Real>(10000, static_cast<naive::Real>(c / 2 * 2) / model_.d_model);
        row.push_back(std::sqrt(static_cast<naive::Real>(model_.d_model)) * weights_.embedding.row(tokens[t])[c] +
                      (c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
      }
      h.push_back(row);
    }
    return h;
  }

  naive::RealRows memory(const std::vector<Index>& source) const {
    naive::RealRows h = embedded(source);
    for (std::size_t place = 0; place < model_.encoder.size(); ++place) {
      const EncoderLayerWeights& w = weights_.encoder[place];
      const ProjectedConfig& config = model_.encoder[place].attention;
      add_and_norm(h, naive::attention(everything_, place, config, w.attention, rows(config, w.attention, h), h),
                   w.attention_norm);
      add_and_norm(h, fed(model_.encoder[place].feed_forward, w.feed_forward, h), w.feed_forward_norm);
    }
    return h;
  }

  naive::RealRows hidden(const std::vector<Index>& source, const std::vector<Index>& target) const {
    const naive::RealRows memory_states = memory(source);
    naive::RealRows h = embedded(target);
    for (std::size_t place = 0; place < model_.decoder.size(); ++place) {
      const CrossDecoderLayerWeights& w = weights_.decoder[place];
      const ProjectedConfig& own = model_.decoder[place].self_attention;
      const ProjectedConfig& cross = model_.decoder[place].cross_attention;
      add_and_norm(h, naive::attention(causal_, place, own, w.self_attention, rows(own, w.self_attention, h), h),
                   w.self_norm);
      add_and_norm(h,
                   naive::attention(everything_, place, cross, w.cross_attention,
                                    rows(cross, w.cross_attention, memory_states), h),
                   w.cross_norm);
      add_and_norm(h, fed(model_.decoder[place].feed_forward, w.feed_forward, h), w.feed_forward_norm);
    }
    return h;
  }

 private:
  naive::HeadRows rows(const ProjectedConfig& config, const ProjectedWeights& weights, const naive::RealRows& x) const {
    return naive::rows_of(causal_, config, weights, x);
  }
  void add_and_norm(naive::RealRows& h, const naive::RealRows& y, const NormWeights& norm) const {
    for (std::size_t t = 0; t < h.size(); ++t) h[t] = naive::norm_of(causal_, norm, naive::add(h[t], y[t]));
  }
  static naive::RealRows fed(const FeedForwardConfig& config, const FeedForwardWeights& weights,
                             const naive::RealRows& h) {
    naive::RealRows y;
    for (const naive::RealVector& row : h) y.push_back(naive::feed_forward(config, weights, row));
    return y;
  }

  const EncoderDecoderDescription& model_;
  const EncoderDecoderWeights& weights_;
  ModelDescription norms_;
  ModelWeights none_;
  naive::Sequence causal_{norms_, none_};
  naive::Sequence everything_{norms_, none_, {.bidirectional = true}};
};

TEST(EncoderDecoder, EqualsItsEquationsOverWholeSequences) {
  Random random(3);
  for (const auto& [source_tokens, target_tokens] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {1, 9}, {13, 1}, {7, 7}, {11, 17}, {20, 5}}) {
    const EncoderDecoderDescription description = small_transformer(target_tokens % 2 == 1);
    const EncoderDecoderWeights weights = EncoderDecoderWeights::random(description, 2, random.word());
    const EncoderDecoder model(description, weights);
    const Definition definition(description, weights);
    const std::vector<Index> source = random_tokens(source_tokens, random),
                             target = random_tokens(target_tokens, random);
    const std::vector<double> memory = model.encode(source);
    EXPECT_LT(shared_state::largest_error(memory, definition.memory(source)), 1e-12);
    EncoderDecoderCache cache = model.start(memory);
    EXPECT_LT(shared_state::largest_error(model.append(target, cache), definition.hidden(source, target)), 1e-12);
  }
}

// A causal stack keeps its earlier states when a token is appended (cache_invariance_test.cpp); an encoder does not,
// which is why nothing of it could be cached while the source grows.
TEST(EncoderDecoder, AppendingASourceTokenChangesEveryMemoryState) {
  Random random(4);
  const EncoderDecoder model = small_model(5);
  const std::vector<Index> source = random_tokens(9, random);
  const std::vector<double> before = model.encode(std::span(source).first(8)), after = model.encode(source);
  for (Index t = 0; t < 8; ++t) {
    double moved = 0;
    for (Index c = 0; c < 16; ++c) moved = std::max(moved, std::abs(before[t * 16 + c] - after[t * 16 + c]));
    EXPECT_GT(moved, 1e-3) << t;
  }
}

TEST(EncoderDecoder, AppendingATargetTokenLeavesEarlierStatesAsTheyWere) {
  Random random(6);
  const EncoderDecoder model = small_model(7);
  const std::vector<double> memory = model.encode(random_tokens(11, random));
  const std::vector<Index> target = random_tokens(14, random);
  std::vector<double> before;
  for (std::size_t count = 1; count <= target.size(); ++count) {
    EncoderDecoderCache cache = model.start(memory);
    const std::vector<double> after = model.append(std::span(target).first(count), cache);
    ASSERT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << count;
    before = after;
  }
}

TEST(EncoderDecoder, PrefillAndDecodeEqualRecomputationAtEverySplit) {
  Random random(8);
  const EncoderDecoder model = small_model(9);
  const std::vector<double> memory = model.encode(random_tokens(6, random));
  const std::vector<Index> target = random_tokens(13, random);
  EncoderDecoderCache whole = model.start(memory);
  const std::vector<double> hidden = model.append(target, whole);
  for (std::size_t split = 0; split <= target.size(); ++split) {
    EncoderDecoderCache cache = model.start(memory);
    std::vector<double> parts = model.append(std::span(target).first(split), cache);
    const EncoderDecoderCache snapshot = cache;
    for (std::size_t t = split; t < target.size(); ++t) {
      const std::vector<double> one = model.append(std::span(target).subspan(t, 1), cache);
      parts.insert(parts.end(), one.begin(), one.end());
    }
    EXPECT_EQ(parts, hidden) << split;
    EXPECT_EQ(snapshot.tokens, split);
  }
}

TEST(EncoderDecoder, KeysAndValuesOfTheMemoryAreMadeOnceAndReadByEveryToken) {
  Random random(10);
  const EncoderDecoder model = small_model(11);
  EncoderDecoderCache cache = model.start(model.encode(random_tokens(9, random)));
  const std::vector<std::vector<double>> k = cache.cross_attention[1].k, v = cache.cross_attention[1].v;
  EXPECT_EQ(k[0].size(), 9 * 4);
  EncoderDecoderCache poisoned = cache;
  model.append(random_tokens(5, random), cache);
  EXPECT_EQ(cache.cross_attention[1].k, k);
  EXPECT_EQ(cache.cross_attention[1].v, v);
  poisoned.cross_attention[1].v[2][8 * 4] = std::nan("");  // the last source token's, seen by the first target token
  const std::vector<double> hidden = model.append(std::vector<Index>{0}, poisoned);
  EXPECT_TRUE(std::ranges::all_of(hidden, [](double c) { return std::isnan(c); }));
}

TEST(EncoderDecoder, GreedyGenerationAppendsTheTokenOfTheHighestScore) {
  Random random(12);
  const EncoderDecoder model = small_model(13);
  const std::vector<Index> source = random_tokens(10, random);
  std::vector<Index> target = {model.model().start_token};
  for (Index step = 0; step < 15; ++step) {  // recomputed from the start for every token
    EncoderDecoderCache cache = model.start(model.encode(source));
    const std::vector<double> hidden = model.append(target, cache);
    const std::vector<double> logits = model.logits(std::span(hidden).last(16));
    target.push_back(std::ranges::max_element(logits) - logits.begin());
  }
  target.erase(target.begin());
  EXPECT_EQ(model.generate(source, {.max_tokens = 15}), target);
}

TEST(EncoderDecoder, SampledGenerationIsAFunctionOfItsSeed) {
  Random random(14);
  const EncoderDecoder model = small_model(15);
  const std::vector<Index> source = random_tokens(10, random);
  const auto sampled = [&](std::uint64_t seed) {
    return model.generate(source, {.sampling = {.temperature = 20, .seed = seed}, .max_tokens = 40});
  };
  EXPECT_EQ(sampled(1), sampled(1));
  EXPECT_NE(sampled(1), sampled(2));
  std::vector<Index> distinct = sampled(1);
  std::ranges::sort(distinct);
  EXPECT_GT(std::unique(distinct.begin(), distinct.end()) - distinct.begin(), 10);
}

TEST(EncoderDecoderFaults, RefusesTokensOutsideTheVocabularyAndAppendsNothing) {
  const EncoderDecoder model = small_model(17);
  EXPECT_THROW(model.encode({}), InputError);
  EXPECT_THROW(model.encode(std::vector<Index>{1, 23}), InputError);
  EncoderDecoderCache cache = model.start(model.encode(std::vector<Index>{1, 2}));
  EXPECT_THROW(model.append(std::vector<Index>{3, -1}, cache), InputError);
  EXPECT_EQ(cache.tokens, 0);
  EXPECT_EQ(cache.self_attention[0].rows(), 0);
}

TEST(EncoderDecoderFaults, WeightsOfAnotherShapeAreNamed) {
  const EncoderDecoderDescription description = small_transformer();
  const auto message = [&](auto&& change) -> std::string {
    EncoderDecoderWeights weights = EncoderDecoderWeights::random(description, 1, 1);
    change(weights);
    try {
      EncoderDecoder(description, std::move(weights));
    } catch (const InputError& error) {
      return error.what();
    }
    return "passes";
  };
  const auto names = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
  EXPECT_EQ(message([](EncoderDecoderWeights&) {}), "passes");
  EXPECT_TRUE(names(message([](auto& w) { w.embedding = Matrix(23, 8); }), "embedding"));
  EXPECT_TRUE(names(message([](auto& w) { w.encoder.pop_back(); }), "weights of 2 and 3 layers"));
  EXPECT_TRUE(names(message([](auto& w) { w.encoder[1].attention_norm.shift.clear(); }), "attention_norm"));
  EXPECT_TRUE(names(message([](auto& w) { w.decoder[2].cross_norm.gain.pop_back(); }), "cross_norm"));
  EXPECT_TRUE(names(message([](auto& w) { w.decoder[0].feed_forward.down = {}; }), "feed_forward.down"));
  EXPECT_TRUE(names(message([](auto& w) { w.decoder[0].cross_attention.wk = {}; }), "wk"));
}

}  // namespace
}  // namespace lacuna
