// What a cache relies on: a token's hidden state depends on the tokens up to it and on nothing else, bit for bit, in
// every causal stack. What would break it does.
#include <gtest/gtest.h>

#include "model/naive_decoder.hpp"
#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;
namespace naive = testing_core::naive;

std::vector<Index> first(const std::vector<Index>& tokens, Index count) {
  return {tokens.begin(), tokens.begin() + count};
}

naive::Real largest_difference(const naive::RealVector& a, const naive::RealVector& b) {
  naive::Real largest = 0;
  for (std::size_t c = 0; c < a.size(); ++c) largest = std::max(largest, std::abs(a[c] - b[c]));
  return largest;
}

class CacheInvariance : public testing::TestWithParam<ModelDescription> {
 protected:
  const ModelDescription& model() const { return GetParam(); }
};

// The sequence grows by one token at a time; every shorter one, computed by itself, is a prefix of the next.
TEST_P(CacheInvariance, AppendingATokenLeavesAllEarlierStatesAsTheyWere) {
  Random random(9);
  const Decoder decoder(model(), random_weights(model(), 11));
  const std::vector<Index> tokens = random_tokens(model(), 25, random);
  std::vector<double> before;
  for (Index count = 1; count <= 25; ++count) {
    const std::vector<double> after = hidden_at_once(decoder, first(tokens, count));
    ASSERT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << count;
    before = after;
  }
}

TEST_P(CacheInvariance, OtherTokensBehindAPrefixLeaveItsStatesAsTheyWere) {
  Random random(10);
  const Decoder decoder(model(), random_weights(model(), 12));
  const std::vector<Index> tokens = random_tokens(model(), 33, random);
  const std::vector<double> hidden = hidden_at_once(decoder, tokens);
  for (const Index kept : {1, 2, 3, 7, 8, 16, 31}) {
    std::vector<Index> other = random_tokens(model(), 40, random);
    std::copy_n(tokens.begin(), kept, other.begin());
    other[kept] = (tokens[kept] + 1) % model().vocabulary;
    const std::vector<double> changed = hidden_at_once(decoder, other);
    const Index numbers = kept * model().d_model;
    ASSERT_TRUE(std::equal(hidden.begin(), hidden.begin() + numbers, changed.begin())) << kept;
    EXPECT_NE(hidden[numbers + 1], changed[numbers + 1]);
  }
}

TEST_P(CacheInvariance, PrefillAndDecodeEqualRecomputationAtEverySplit) {
  Random random(13);
  const Decoder decoder(model(), random_weights(model(), 14));
  const std::vector<Index> tokens = random_tokens(model(), 21, random);
  const std::vector<double> hidden = hidden_at_once(decoder, tokens);
  ModelCache cache = decoder.start();
  for (std::size_t split = 0; split < tokens.size(); ++split) {
    ModelCache snapshot = cache;
    std::vector<double> rest;
    for (std::size_t t = split; t < tokens.size(); ++t) {
      const std::vector<double> one = decoder.append(std::span(tokens).subspan(t, 1), snapshot);
      rest.insert(rest.end(), one.begin(), one.end());
    }
    ASSERT_TRUE(std::equal(rest.begin(), rest.end(), hidden.begin() + split * model().d_model)) << split;
    ASSERT_EQ(cache.tokens, split);  // the original did not move
    cache = decoder.start();
    decoder.append(std::span(tokens).first(split + 1), cache);
  }
}

TEST_P(CacheInvariance, ChunksOfAnyLengthGiveTheSameBits) {
  Random random(15);
  const Decoder decoder(model(), random_weights(model(), 16));
  const std::vector<Index> tokens = random_tokens(model(), 29, random);
  const std::vector<double> hidden = hidden_at_once(decoder, tokens);
  for (Index chunk = 1; chunk <= 9; ++chunk) EXPECT_EQ(hidden_in_chunks(decoder, tokens, chunk), hidden) << chunk;
}

INSTANTIATE_TEST_SUITE_P(Stack, CacheInvariance, testing::ValuesIn(every_stack()), [](const auto& stack) {
  std::string name = stack.param.name;
  std::ranges::replace(name, ' ', '_');
  return fmt::format("{}_{}", stack.index, name);
});

// What would make a cache useless: the definition that the decoder equals, with either departure, gives earlier tokens
// other states once a token is appended; without one it does not.
TEST(BrokenCacheInvariance, BidirectionalAttentionChangesEarlierStates) {
  for (const char* preset : {"llama_7b", "gpt2_small"}) {
    const ModelDescription model = small_model(preset, 2);
    Random random(15);
    const ModelWeights weights = random_weights(model, 16);
    const std::vector<Index> tokens = random_tokens(model, 12, random);
    const auto states = [&](Index count, naive::Departure departure) {
      return naive::hidden_states({model, weights, departure}, first(tokens, count))[5];
    };
    EXPECT_EQ(states(11, {}), states(12, {}));
    EXPECT_GT(largest_difference(states(11, {.bidirectional = true}), states(12, {.bidirectional = true})), 1e-3);
  }
}

TEST(BrokenCacheInvariance, PositionsThatDependOnTheLengthChangeEarlierStates) {
  for (const char* preset : {"llama_7b", "gpt2_small"}) {
    const ModelDescription model = small_model(preset, 2);
    Random random(17);
    const ModelWeights weights = random_weights(model, 18);
    const std::vector<Index> tokens = random_tokens(model, 24, random);
    const auto states = [&](Index count) {
      return naive::hidden_states({model, weights, {.positions_stretch_to_length = true}}, first(tokens, count))[9];
    };
    EXPECT_GT(largest_difference(states(10), states(24)), 1e-3);
  }
}

}  // namespace
}  // namespace lacuna
