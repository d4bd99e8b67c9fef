// MLA with the lightning indexer: its vectors against an evaluation in 113 bits, its positions, its main part.
#include "core/mechanism/sparse_mla.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/mechanism/index_score.hpp"
#include "mechanism/hidden_states.hpp"
#include "mechanism/naive_attention.hpp"
#include "mechanism/wide_projection.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

SparseMlaConfig random_config(Random& random) {
  SparseMlaConfig config;
  config.mla.d_model = random.integer(2, 40);
  config.mla.heads = random.integer(1, 4);
  config.mla.q_lora_rank = random.chance(0.3) ? 0 : random.integer(1, 25);
  config.mla.kv_lora_rank = random.integer(1, 33);
  config.mla.qk_nope = random.integer(1, 17);
  config.mla.qk_rope = 2 * random.integer(1, 7);
  config.mla.d_v = random.integer(1, 19);
  config.mla.rope_base = random.uniform(2, 1e4);
  config.index_heads = random.integer(1, 9);
  config.d_index = config.mla.qk_rope + random.integer(0, 13);
  return config;
}

/// Random weights with gains that are not one and biases that are not zero.
SparseMlaWeights random_weights(const SparseMlaConfig& config, double quality, std::uint64_t seed) {
  SparseMlaWeights weights = SparseMlaWeights::random(config, 1.5, quality, seed);
  Random random(seed + 78);
  for (double& gain : weights.mla.q_norm) gain = random.uniform(0.5, 2);
  for (double& gain : weights.mla.kv_norm) gain = random.uniform(0.5, 2);
  for (double& gain : weights.indexer.k_norm_gain) gain = random.uniform(0.5, 2);
  for (double& bias : weights.indexer.k_norm_bias) bias = random.normal();
  return weights;
}

/// Pairs (i, i + channels/2) of the first channels, as interleaved pairs of a permuted vector.
WideVector wide_half_split_rope(const WideVector& x, Index channels, double base, Index position) {
  WideVector front(channels), y(x);
  for (Index i = 0; i < channels / 2; ++i) {
    front[2 * i] = x[i];
    front[2 * i + 1] = x[i + channels / 2];
  }
  front = wide_interleaved_rope(front, base, position);
  for (Index i = 0; i < channels / 2; ++i) {
    y[i] = front[2 * i];
    y[i + channels / 2] = front[2 * i + 1];
  }
  return y;
}

TEST(SparseMla, IndexVectorsAgreeWithTheirDefinitionIn113Bits) {
  Random random(31);
  for (int trial = 0; trial < 60; ++trial) {
    const SparseMlaConfig config = random_config(random);
    const MlaConfig& main = config.mla;
    const SparseMlaWeights w = random_weights(config, 0.3, trial);
    const HiddenStates x(trial, 5, main.d_model);
    const Index start = random.integer(0, 2000);
    const SparseMla layer(config, w);
    LayerCache cache = layer.start();
    cache.tokens = start;
    layer.append(x.x, cache);
    ASSERT_EQ(cache.index_k.size(), static_cast<std::size_t>(5 * config.d_index));

    for (Index t = 0; t < 5; ++t) {
      WideVector k = wide_product(w.indexer.wk, 0, config.d_index, widen(x.token(t)));
      Wide mean = 0, variance = 0;
      for (const Wide& c : k) mean += c / k.size();
      for (const Wide& c : k) variance += (c - mean) * (c - mean) / k.size();
      for (Index c = 0; c < config.d_index; ++c)
        k[c] = w.indexer.k_norm_gain[c] * (k[c] - mean) / sqrt(variance + main.eps) + w.indexer.k_norm_bias[c];
      k = wide_half_split_rope(k, main.qk_rope, main.rope_base, start + t);
      EXPECT_TRUE(relative_error(std::span(cache.index_k).subspan(t * config.d_index, config.d_index), to_double(k)) <=
                  1e-11);

      const auto input = x.token(t);
      WideVector qr = widen(input);
      if (main.q_lora_rank > 0)
        qr = wide_rms_norm(wide_product(w.mla.wqa, 0, main.q_lora_rank, widen(input)), w.mla.q_norm, main.eps);
      const QueryRows query = layer.query(input, start + t);
      ASSERT_EQ(query.index_q.size(), static_cast<std::size_t>(config.index_heads * config.d_index));
      for (Index i = 0; i < config.index_heads; ++i) {
        const WideVector q = wide_half_split_rope(wide_product(w.indexer.wq, i * config.d_index, config.d_index, qr),
                                                  main.qk_rope, main.rope_base, start + t);
        EXPECT_TRUE(relative_error(std::span(query.index_q).subspan(i * config.d_index, config.d_index),
                                   to_double(q)) <= 1e-11);
      }
      WideVector weight = wide_product(w.indexer.ww, 0, config.index_heads, widen(input));
      for (Wide& c : weight) c /= sqrt(Wide(config.index_heads * config.d_index));
      EXPECT_TRUE(relative_error(query.index_weight, to_double(weight)) <= 1e-12);
    }
  }
}

TEST(SparseMla, ItsMainPartHasTheBitsOfAbsorbedMla) {
  Random random(32);
  for (int trial = 0; trial < 30; ++trial) {
    const SparseMlaConfig config = random_config(random);
    const SparseMlaWeights weights = random_weights(config, 0.7, trial);
    const SparseMla sparse(config, weights);
    const MlaAbsorbed absorbed(std::make_shared<const Mla>(config.mla, weights.mla));
    const HiddenStates x(trial, 6, config.mla.d_model);
    LayerCache a = sparse.start(), b = absorbed.start();
    sparse.append(x.x, a);
    absorbed.append(x.x, b);
    EXPECT_EQ(a.k, b.k);
    EXPECT_EQ(a.key_position, b.key_position);
    EXPECT_EQ(sparse.query(x.token(5), 5).q, absorbed.query(x.token(5), 5).q);
    EXPECT_EQ(attended_output(sparse, x.token(5), a, 5), attended_output(absorbed, x.token(5), b, 5));
    EXPECT_EQ(sparse.shape().d_qk, absorbed.shape().d_qk);
    EXPECT_EQ(sparse.shape().index_heads, config.index_heads);
    EXPECT_EQ(sparse.shape().d_index, config.d_index);
    EXPECT_EQ(absorbed.shape().index_heads, 0);
  }
}

TEST(SparseMla, IndexScoresDependOnTheDifferenceOfPositionsOnly) {
  Random random(33);
  for (int trial = 0; trial < 30; ++trial) {
    const SparseMlaConfig config = random_config(random);
    const SparseMla layer(config, random_weights(config, 0.5, trial));
    const HiddenStates x(trial, 2, config.mla.d_model);
    std::vector<double> score;
    for (const Index start : {0, 3000}) {
      LayerCache cache = layer.start();
      cache.tokens = start;
      layer.append(x.token(0), cache);
      const QueryRows query = layer.query(x.token(1), start + 19);
      score.push_back(index_score(query.index_q, query.index_weight, cache.index_k));
    }
    EXPECT_NEAR(score[0], score[1], 1e-9 * (1 + std::abs(score[0])));
  }
}

TEST(SparseMla, IndexWeightsAreSignedAndLinearInTheHiddenState) {
  Random random(34);
  const SparseMlaConfig config = random_config(random);
  const SparseMla layer(config, random_weights(config, 0, 4));
  const HiddenStates x(4, 1, config.mla.d_model);
  std::vector<double> negated(x.x);
  for (double& c : negated) c = -c;
  const std::vector<double> w = layer.query(x.x, 3).index_weight, minus_w = layer.query(negated, 3).index_weight;
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_EQ(minus_w[i], -w[i]);
}

/// The message with which a configuration is refused.
std::string refusal(const SparseMlaConfig& config) {
  try {
    config.check();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SparseMlaFaults, NameTheFieldOfAnInvalidConfiguration) {
  const SparseMlaConfig good{.mla = {.d_model = 8, .heads = 2, .kv_lora_rank = 5, .qk_nope = 3, .qk_rope = 4, .d_v = 3},
                             .index_heads = 2,
                             .d_index = 4};
  EXPECT_EQ(refusal(good), "accepted");
  SparseMlaConfig config = good;
  config.d_index = 3;
  EXPECT_EQ(refusal(config), "qk_rope is 4; it must be at most d_index, which is 3");
  EXPECT_THROW(SparseMla(config, {}), UsageError);
  EXPECT_THROW(SparseMlaWeights::random(config, 1, 1, 1), UsageError);
  config = good;
  config.index_heads = 0;
  EXPECT_EQ(refusal(config), "index_heads is 0; it must be at least 1");
  config = good;
  config.mla.qk_rope = 3;
  EXPECT_EQ(refusal(config), "qk_rope is 3; RoPE rotates pairs of channels, it must be even");
}

TEST(SparseMlaFaults, NameTheWeightOfAnotherShape) {
  Random random(35);
  const SparseMlaConfig config = random_config(random);
  SparseMlaWeights weights = random_weights(config, 0, 1);
  weights.indexer.k_norm_bias.push_back(0);
  try {
    SparseMla(config, weights);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("indexer k_norm_bias"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lacuna
