#include "core/model/continuation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(Continuation, OfGivenTokensIsTheDecoderOverAllOfThem) {
  for (const ModelDescription& model : {v41_small(32), small_model("mistral_7b", 3)}) {
    Random random(3);
    const Decoder decoder(model, random_weights(model, 4));
    const std::vector<Index> tokens = random_tokens(model, 15, random);
    ModelCache all = decoder.start();
    const std::vector<double> hidden = decoder.append(tokens, all);
    ModelCache cache = decoder.start();
    const std::vector<double> before = decoder.append(std::span(tokens).first(9), cache);
    const Prefix prefix{.cache = &cache, .last_hidden = std::span(before).last(model.d_model)};
    const ForcedSteps steps = forced_steps(decoder, prefix, std::span(tokens).last(6));
    ASSERT_EQ(steps.hidden.size(), 6u);
    for (Index step = 0; step < 6; ++step) {
      const auto h = std::span(hidden).subspan((8 + step) * model.d_model, model.d_model);
      EXPECT_TRUE(std::ranges::equal(steps.hidden[step], h)) << step;
      EXPECT_EQ(steps.logits[step], decoder.logits(h));
    }
    EXPECT_EQ(cache.tokens, 9);  // a snapshot went on
  }
}

TEST(Continuation, GreedyReadsTheHighestScoreOfEveryStep) {
  const ModelDescription model = small_model("mistral_7b", 3);
  Random random(5);
  const Decoder decoder(model, random_weights(model, 6));
  std::vector<Index> tokens = random_tokens(model, 7, random);
  ModelCache cache = decoder.start();
  const std::vector<double> before = decoder.append(tokens, cache);
  const std::vector<Index> greedy =
      greedy_tokens(decoder, {.cache = &cache, .last_hidden = std::span(before).last(model.d_model)}, 5);
  ASSERT_EQ(greedy.size(), 5u);
  for (const Index token : greedy) {  // every one by a prefill of everything before it
    ModelCache whole = decoder.start();
    const std::vector<double> hidden = decoder.append(tokens, whole);
    const std::vector<double> z = decoder.logits(std::span(hidden).last(model.d_model));
    EXPECT_EQ(token, std::ranges::max_element(z) - z.begin());
    tokens.push_back(token);
  }
}

}  // namespace
}  // namespace lacuna
