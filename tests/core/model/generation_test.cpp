#include "core/model/generation.hpp"

#include <gtest/gtest.h>

#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// Scores that make the token after the appended one, modulo 5, the highest.
std::vector<double> next_of_five(Index token) {
  std::vector<double> scores(5, 0.0);
  scores[(token + 1) % 5] = 1;
  return scores;
}

TEST(Generation, AppendsWhatItDrew) {
  std::vector<Index> appended;
  const auto append = [&](Index token) {
    appended.push_back(token);
    return next_of_five(token);
  };
  EXPECT_EQ(generate(2, 0, {.max_tokens = 4}, append), (std::vector<Index>{3, 4, 0, 1}));
  EXPECT_EQ(appended, (std::vector<Index>{2, 3, 4, 0}));
}

TEST(Generation, StopsAtTheEndTokenAndAtTheLimit) {
  EXPECT_EQ(generate(2, 0, {.max_tokens = 9, .end_token = 0}, next_of_five), (std::vector<Index>{3, 4, 0}));
  EXPECT_EQ(generate(2, 0, {.max_tokens = 2, .end_token = 0}, next_of_five), (std::vector<Index>{3, 4}));
  EXPECT_EQ(generate(2, 0, {.max_tokens = 0}, next_of_five), std::vector<Index>());
  EXPECT_THROW(generate(2, 0, {.max_tokens = -1}, next_of_five), UsageError);
}

// A draw is a function of seed and position: a sequence that was cut anywhere goes on as if it had not been.
TEST(Generation, OfADecoderGoesOnFromAnyOfItsTokens) {
  const ModelDescription model = small_model("llama_7b", 2);
  const Decoder decoder(model, random_weights(model, 3));
  const Generation options{.sampling = {.temperature = 3, .seed = 8}, .max_tokens = 20};
  const auto generated = [&](ModelCache& cache, Index first, const Generation& wanted) {
    return generate(first, cache.tokens, wanted,
                    [&](Index token) { return decoder.logits(decoder.append(std::span(&token, 1), cache)); });
  };
  ModelCache cache = decoder.start();
  const std::vector<Index> prompt = {3, 14, 15};
  decoder.append(prompt, cache);
  ModelCache copy = cache;
  const std::vector<Index> whole = generated(copy, 9, options);
  Generation part = options;
  part.max_tokens = 7;
  std::vector<Index> parts = generated(cache, 9, part);
  part.max_tokens = 13;
  const std::vector<Index> rest = generated(cache, parts.back(), part);
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace lacuna
