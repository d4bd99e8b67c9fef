#include "core/model/layer_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/dense_attention.hpp"
#include "core/reference/exact_row.hpp"
#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// What exact attention gives every token of the next layer, [tokens, h_q, d_v]; empty in a retention layer.
std::vector<double> exact_attention(const LayerPass& pass) {
  std::vector<double> o;
  if (!pass.attends()) return o;
  ExactAttend exact;
  const LayerInputs all = pass.inputs();
  for (Index t = 0; t < pass.tokens(); ++t) {
    LayerInputs one = all;
    one.queries = all.queries.subspan(t, 1);
    one.query_position = all.query_position.subspan(t, 1);
    const std::vector<double> row = exact.attend(0, one);
    o.insert(o.end(), row.begin(), row.end());
  }
  return o;
}

/// The same by the ruler, from the layer's problem.
std::vector<double> ruled_attention(const AttentionProblem& problem) {
  std::vector<double> o;
  for (Index query = 0; query < problem.s_q(); ++query) {
    const SeenRows seen = problem.seen(problem.query_position[query]);
    for (Index head = 0; head < problem.h_q(); ++head) {
      const Index kv_head = problem.kv_head_of(head);
      const ExactRow row =
          exact_row(problem.queries(head), query, problem.seen_keys(kv_head, seen), problem.seen_values(kv_head, seen),
                    seen.count(), problem.sm_scale, problem.sink(head), seen.local);
      o.insert(o.end(), row.o.begin(), row.o.end());
    }
  }
  return o;
}

std::vector<double> hidden_of(const LayerPass& pass) {
  std::vector<double> hidden;
  for (Index t = 0; t < pass.tokens(); ++t) hidden.insert(hidden.end(), pass.hidden(t).begin(), pass.hidden(t).end());
  return hidden;
}

void backwards(Index count, const std::function<void(Index)>& work) {
  for (Index t = count; t-- > 0;) work(t);
}

TEST(LayerPass, GivesTheBitsOfTokenByToken) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    Random random(11);
    const Decoder decoder(model, random_weights(model, random.word()));
    for (const Index n : {1, 2, 27, 131}) {  // the last one: blocks of tokens, and of rows that are weighed
      const std::vector<Index> tokens = random_tokens(model, n, random);
      ModelCache cache = decoder.start();
      const std::vector<double> expected = decoder.append(tokens, cache);
      for (const EachIndex& order : {EachIndex(in_order), EachIndex(backwards)}) {
        LayerPass pass(decoder, tokens, order);
        while (!pass.done()) {
          const std::vector<double> o = exact_attention(pass);
          if (pass.attends()) {
            ASSERT_EQ(dense_attention(pass.problem(), order), o);
          }
          pass.advance(o);
        }
        EXPECT_EQ(hidden_of(pass), expected);
      }
    }
  }
}

TEST(LayerPass, ProblemsAreWhatTheLayersAttend) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    Random random(12);
    const Decoder decoder(model, random_weights(model, random.word()));
    const std::vector<Index> tokens = random_tokens(model, 23, random);
    for (LayerPass pass(decoder, tokens); !pass.done();) {
      const std::vector<double> o = exact_attention(pass);
      if (pass.attends()) {
        const std::vector<double> ruled = ruled_attention(pass.problem());
        ASSERT_EQ(ruled.size(), o.size());
        for (std::size_t i = 0; i < o.size(); ++i) ASSERT_NEAR(ruled[i], o[i], 1e-12) << "layer " << pass.place();
      }
      pass.advance(o);
    }
  }
}

TEST(LayerPass, AsksAtTheGivenPositionsWhatItAsksAtEveryToken) {
  const ModelDescription model = v41_small(32);
  Random random(13);
  const Decoder decoder(model, random_weights(model, 5));
  const std::vector<Index> positions = {3, 11, 18};
  for (LayerPass pass(decoder, random_tokens(model, 19, random)); !pass.done();) {
    const std::vector<double> every = ruled_attention(pass.problem());
    const std::vector<double> some = ruled_attention(pass.problem(positions));
    const Index width = static_cast<Index>(every.size()) / pass.tokens();
    for (std::size_t i = 0; i < positions.size(); ++i)
      EXPECT_TRUE(
          std::equal(some.begin() + i * width, some.begin() + (i + 1) * width, every.begin() + positions[i] * width));
    EXPECT_EQ(pass.problem().selection_layer, model.layers[pass.place()].selection_of);
    pass.advance(exact_attention(pass));
  }
}

TEST(LayerPass, RefusesTokensOutsideTheVocabulary) {
  const ModelDescription model = small_model("llama_7b", 1);
  const Decoder decoder(model, random_weights(model, 1));
  const std::vector<Index> tokens = {0, model.vocabulary};
  EXPECT_THROW(LayerPass(decoder, tokens), InputError);
}

}  // namespace
}  // namespace lacuna
