// MHA, GQA and MQA with projections, against hand numbers, an evaluation in 113 bits and each other.
#include "core/mechanism/projected_attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mechanism/hidden_states.hpp"
#include "mechanism/naive_attention.hpp"
#include "mechanism/wide_projection.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

ProjectedConfig random_config(Random& random) {
  ProjectedConfig config;
  config.d_model = random.integer(1, 40);
  config.h_kv = random.integer(1, 4);
  config.h_q = config.h_kv * random.integer(1, 4);
  config.d_qk = random.integer(1, 19);
  config.d_v = random.integer(1, 17);
  if (random.chance(0.7))
    config.rope = RopeParameters{.channels = 2 * random.integer(0, config.d_qk / 2), .base = random.uniform(2, 1e4)};
  return config;
}

TEST(ProjectedAttention, ProjectsByHandNumbers) {
  const ProjectedConfig config{.d_model = 2, .h_q = 2, .h_kv = 1, .d_qk = 1, .d_v = 2};
  const ProjectedAttention attention(config, {.wq = Matrix(2, 2, {1, 2, 3, 4}),
                                              .wk = Matrix(1, 2, {5, -1}),
                                              .wv = Matrix(2, 2, {0, 1, 1, 1}),
                                              .wo = Matrix(2, 4, {1, 0, 0, 2, 0, 1, -1, 0})});
  LayerCache cache = attention.start();
  attention.append(std::vector<double>({1, 0, 2, 3}), cache);
  EXPECT_EQ(cache.tokens, 2);
  EXPECT_EQ(cache.key_position, std::vector<Index>({0, 1}));
  EXPECT_EQ(cache.k, (std::vector<std::vector<double>>{{5, 7}}));
  EXPECT_EQ(cache.v, (std::vector<std::vector<double>>{{0, 1, 3, 5}}));
  EXPECT_EQ(attention.query(std::vector<double>({1, -1}), 9).q, std::vector<double>({-1, -1}));
  EXPECT_EQ(attention.output(std::vector<double>({1, 2, 3, 4}), 9), std::vector<double>({9, -1}));
}

TEST(ProjectedAttention, AgreesWithItsDefinitionIn113Bits) {
  Random random(11);
  for (int trial = 0; trial < 60; ++trial) {
    const ProjectedConfig config = random_config(random);
    const ProjectedWeights weights = ProjectedWeights::random(config, random.uniform(0.5, 3), trial);
    const Index n = random.integer(1, 13);
    const HiddenStates x(trial, n, config.d_model);
    const Index rotated = config.rope ? config.rope->channels : 0;
    const auto rope = [&](WideVector row, Index position) {
      const WideVector front(row.begin(), row.begin() + rotated);
      std::ranges::copy(wide_interleaved_rope(front, config.rope ? config.rope->base : 2, position), row.begin());
      return row;
    };
    WideVector o;
    for (Index h = 0; h < config.h_q; ++h) {
      const Index g = h / (config.h_q / config.h_kv);
      const WideVector q = rope(wide_product(weights.wq, h * config.d_qk, config.d_qk, widen(x.token(n - 1))), n - 1);
      WideVector s;
      std::vector<WideVector> v;
      for (Index j = 0; j < n; ++j) {
        const WideVector k = rope(wide_product(weights.wk, g * config.d_qk, config.d_qk, widen(x.token(j))), j);
        s.push_back(wide_dot(q, k) / sqrt(Wide(config.d_qk)));
        v.push_back(wide_product(weights.wv, g * config.d_v, config.d_v, widen(x.token(j))));
      }
      const WideVector head = wide_softmax_mean(s, v);
      o.insert(o.end(), head.begin(), head.end());
    }
    const WideVector y = wide_product(weights.wo, 0, config.d_model, o);

    const ProjectedAttention attention(config, weights);
    LayerCache cache = attention.start();
    attention.append(x.x, cache);
    EXPECT_TRUE(relative_error(attended_output(attention, x.token(n - 1), cache, n - 1), to_double(y)) <= 1e-12);
  }
}

TEST(ProjectedAttention, GroupedHeadsAreMultiHeadAttentionWithRepeatedKeyAndValueWeights) {
  Random random(12);
  for (int trial = 0; trial < 30; ++trial) {
    const ProjectedConfig grouped = random_config(random);
    ProjectedConfig every = grouped;
    every.h_kv = grouped.h_q;
    const ProjectedWeights weights = ProjectedWeights::random(grouped, 1, trial);
    ProjectedWeights repeated = ProjectedWeights::random(every, 1, trial);
    repeated.wq = weights.wq;
    for (Index h = 0; h < every.h_q; ++h) {
      const Index g = h / (grouped.h_q / grouped.h_kv);
      for (Index c = 0; c < every.d_qk; ++c)
        std::ranges::copy(weights.wk.row(g * every.d_qk + c), repeated.wk.row(h * every.d_qk + c).begin());
      for (Index c = 0; c < every.d_v; ++c)
        std::ranges::copy(weights.wv.row(g * every.d_v + c), repeated.wv.row(h * every.d_v + c).begin());
    }
    const ProjectedAttention gqa(grouped, weights), mha(every, repeated);
    const HiddenStates x(trial, 7, grouped.d_model);
    LayerCache gqa_cache = gqa.start(), mha_cache = mha.start();
    gqa.append(x.x, gqa_cache);
    mha.append(x.x, mha_cache);
    for (Index h = 0; h < every.h_q; ++h) {
      EXPECT_EQ(mha_cache.k[h], gqa_cache.k[h * grouped.h_kv / grouped.h_q]);
      EXPECT_EQ(mha_cache.v[h], gqa_cache.v[h * grouped.h_kv / grouped.h_q]);
    }
    EXPECT_EQ(attended_output(mha, x.token(6), mha_cache, 6), attended_output(gqa, x.token(6), gqa_cache, 6));
  }
}

TEST(ProjectedAttention, RotatesTheFirstChannelsOfQueriesAndKeysAndNoValue) {
  const ProjectedConfig plain{.d_model = 6, .h_q = 4, .h_kv = 2, .d_qk = 7, .d_v = 3};
  ProjectedConfig rotated = plain;
  rotated.rope = RopeParameters{.channels = 4, .pairs = RopePairs::half_split};
  const ProjectedWeights weights = ProjectedWeights::random(plain, 1, 5);
  const ProjectedAttention without(plain, weights), with(rotated, weights);
  const HiddenStates x(5, 3, 6);
  LayerCache a = without.start(), b = with.start();
  without.append(x.x, a);
  with.append(x.x, b);
  EXPECT_EQ(a.v, b.v);
  const auto q = without.query(x.token(0), 2).q, turned = with.query(x.token(0), 2).q;
  for (Index c = 0; c < 7; ++c)
    for (Index h = 0; h < 4; ++h) {
      EXPECT_EQ(q[h * 7 + c] == turned[h * 7 + c], c >= 4) << "channel " << c;
      EXPECT_EQ(a.k[h % 2][2 * 7 + c] == b.k[h % 2][2 * 7 + c], c >= 4) << "channel " << c;
    }
}

TEST(ProjectedAttention, ShiftingEveryPositionChangesNoOutput) {
  Random random(13);
  for (int trial = 0; trial < 30; ++trial) {
    ProjectedConfig config = random_config(random);
    config.rope = RopeParameters{.channels = config.d_qk / 2 * 2};
    const ProjectedAttention attention(config, ProjectedWeights::random(config, 2, trial));
    const HiddenStates x(trial, 9, config.d_model);
    LayerCache here = attention.start(), there = attention.start();
    there.tokens = 1000;
    attention.append(x.x, here);
    attention.append(x.x, there);
    EXPECT_EQ(there.key_position.back(), 1008);
    EXPECT_TRUE(relative_error(attended_output(attention, x.token(8), there, 1008),
                               attended_output(attention, x.token(8), here, 8)) <= 1e-10);
  }
}

// One score per draw of weights and states. Given x and x', q and k are independent normal vectors with variances
// a = |x|^2 / D and a', so that E s^2 = d and E s^4 = (1 + 2/D)^2 (3 d^2 + 6 d): the mean of N squares has the relative
// deviation sqrt( ((1 + 2/D)^2 (3 + 6/d) - 1) / N ), and five of them are the tolerance.
TEST(ProjectedAttention, ScoresHaveVarianceDUnscaledAndOneScaled) {
  const int draws = 10000;
  for (const Index d : {3, 16}) {
    const ProjectedConfig config{
        .d_model = 24, .h_q = 1, .h_kv = 1, .d_qk = d, .d_v = 1, .rope = RopeParameters{.channels = 2}};
    double unscaled = 0, scaled = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const ProjectedAttention attention(config, ProjectedWeights::random(config, 1, 100 + draw));
      const HiddenStates x(draw, 2, config.d_model);
      LayerCache cache = attention.start();
      attention.append(x.token(0), cache);
      const double s = scores_of_head(attention.shape(), attention.query(x.token(1), 1), cache, 0)[0];
      scaled += s * s / draws;
      unscaled += s * s / (attention.shape().sm_scale * attention.shape().sm_scale) / draws;
    }
    const double spread = (1 + 2 / 24.0) * (1 + 2 / 24.0) * (3 + 6.0 / d) - 1;
    EXPECT_NEAR(unscaled / d, 1, 5 * std::sqrt(spread / draws)) << d;
    EXPECT_NEAR(scaled, 1, 5 * std::sqrt(spread / draws)) << d;
  }
}

TEST(ProjectedAttention, ScoreStdScalesTheScores) {
  const ProjectedConfig config{.d_model = 8, .h_q = 2, .h_kv = 2, .d_qk = 4, .d_v = 2};
  const ProjectedAttention one(config, ProjectedWeights::random(config, 1, 3));
  const ProjectedAttention three(config, ProjectedWeights::random(config, 3, 3));
  const HiddenStates x(3, 1, 8);
  const auto q = one.query(x.token(0), 0).q, larger = three.query(x.token(0), 0).q;
  for (std::size_t c = 0; c < q.size(); ++c) EXPECT_NEAR(larger[c], 3 * q[c], 1e-14 * std::abs(q[c]) + 1e-15);
}

/// The message with which a configuration is refused.
std::string refusal(ProjectedConfig config) {
  try {
    config.check();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ProjectedAttentionFaults, NameTheFieldOfAnInvalidConfiguration) {
  const ProjectedConfig good{.d_model = 8, .h_q = 6, .h_kv = 2, .d_qk = 5, .d_v = 3};
  EXPECT_EQ(refusal(good), "accepted");
  ProjectedConfig config = good;
  config.h_kv = 4;
  EXPECT_EQ(refusal(config), "h_kv is 4; it must divide h_q, which is 6");
  config = good;
  config.d_v = 0;
  EXPECT_EQ(refusal(config), "d_v is 0; it must be at least 1");
  config = good;
  config.rope = RopeParameters{.channels = 3};
  EXPECT_EQ(refusal(config), "rope channels is 3; RoPE rotates pairs of channels, it must be even");
  config.rope = RopeParameters{.channels = 6};
  EXPECT_EQ(refusal(config), "rope channels is 6; it must be at most d_qk, which is 5");
  config.rope = RopeParameters{.channels = 4, .base = 1};
  EXPECT_EQ(refusal(config), "rope base is 1; it must be above 1");
  config.rope = RopeParameters{.channels = 4, .yarn = Yarn{.factor = 0.5}};
  EXPECT_EQ(refusal(config), "yarn factor is 0.5; it must be at least 1");
  config.rope = RopeParameters{.channels = 4, .yarn = Yarn{.beta_fast = 1, .beta_slow = 1}};
  EXPECT_NE(refusal(config).find("beta_fast"), std::string::npos);
  config.h_kv = 4;
  EXPECT_THROW(ProjectedAttention(config, {}), UsageError);
  EXPECT_THROW(ProjectedWeights::random(config, 1, 1), UsageError);
}

TEST(ProjectedAttentionFaults, NameTheWeightOfAnotherShape) {
  const ProjectedConfig config{.d_model = 8, .h_q = 6, .h_kv = 2, .d_qk = 5, .d_v = 3};
  ProjectedWeights weights = ProjectedWeights::random(config, 1, 1);
  weights.wk = Matrix(10, 7);
  try {
    ProjectedAttention(config, weights);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "weight wk is [10, 7]; the configuration needs [10, 8]");
  }
}

TEST(ProjectedAttentionFaults, RefuseHiddenStatesThatAreNoWholeTokens) {
  const ProjectedConfig config{.d_model = 8, .h_q = 2, .h_kv = 2, .d_qk = 5, .d_v = 3};
  const ProjectedAttention attention(config, ProjectedWeights::random(config, 1, 1));
  LayerCache cache = attention.start();
  EXPECT_THROW(attention.append(std::vector<double>(12), cache), InternalError);
}

}  // namespace
}  // namespace lacuna
