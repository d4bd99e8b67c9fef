// MLA: its two evaluations against each other, and the expanded one against an evaluation in 113 bits of its
// definition.
#include "core/mechanism/mla.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "mechanism/hidden_states.hpp"
#include "mechanism/naive_attention.hpp"
#include "mechanism/wide_projection.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

MlaConfig random_config(Random& random) {
  MlaConfig config;
  config.d_model = random.integer(2, 40);
  config.heads = random.integer(1, 6);
  config.q_lora_rank = random.chance(0.3) ? 0 : random.integer(1, 25);
  config.kv_lora_rank = random.integer(1, 33);
  config.qk_nope = random.integer(1, 17);
  config.qk_rope = 2 * random.integer(1, 7);
  config.d_v = random.integer(1, 19);
  config.rope_base = random.uniform(2, 1e4);
  if (random.chance(0.4)) config.yarn = Yarn{.factor = random.uniform(1, 40)};
  return config;
}

/// Random weights with gains that are not one.
MlaWeights random_weights(const MlaConfig& config, double score_std, std::uint64_t seed) {
  MlaWeights weights = MlaWeights::random(config, score_std, seed);
  Random random(seed + 77);
  for (double& gain : weights.q_norm) gain = random.uniform(0.5, 2);
  for (double& gain : weights.kv_norm) gain = random.uniform(0.5, 2);
  return weights;
}

struct Both {
  std::shared_ptr<const Mla> mla;
  MlaExpanded expanded;
  MlaAbsorbed absorbed;
  LayerCache expanded_cache, latent_cache;

  Both(const MlaConfig& config, const MlaWeights& weights, const HiddenStates& x, Index first_position = 0)
      : mla(std::make_shared<const Mla>(config, weights)),
        expanded(mla),
        absorbed(mla),
        expanded_cache(expanded.start()),
        latent_cache(absorbed.start()) {
    expanded_cache.tokens = latent_cache.tokens = first_position;
    expanded.append(x.x, expanded_cache);
    absorbed.append(x.x, latent_cache);
  }
};

TEST(Mla, AbsorbedEqualsExpandedFromScoresToTheFinalOutput) {
  Random random(21);
  for (int trial = 0; trial < 200; ++trial) {
    const MlaConfig config = random_config(random);
    const Index n = random.integer(1, 24);
    const HiddenStates x(trial, n, config.d_model);
    const Both both(config, random_weights(config, random.one_of<double>({0.5, 1, 3}), trial), x);
    const Index position = random.integer(0, n - 1);

    const QueryRows q = both.expanded.query(x.token(position), position);
    const QueryRows absorbed_q = both.absorbed.query(x.token(position), position);
    for (Index h = 0; h < config.heads; ++h)
      EXPECT_TRUE(relative_error(scores_of_head(both.absorbed.shape(), absorbed_q, both.latent_cache, h),
                                 scores_of_head(both.expanded.shape(), q, both.expanded_cache, h)) <= 1e-12);
    EXPECT_TRUE(relative_error(attended_output(both.absorbed, x.token(position), both.latent_cache, position),
                               attended_output(both.expanded, x.token(position), both.expanded_cache, position)) <=
                1e-12)
        << "trial " << trial;
  }
}

TEST(Mla, ExpandedAgreesWithItsDefinitionIn113Bits) {
  Random random(22);
  for (int trial = 0; trial < 60; ++trial) {
    MlaConfig config = random_config(random);
    config.yarn.reset();
    const MlaWeights w = random_weights(config, 1.5, trial);
    const Index n = random.integer(1, 11), d_n = config.qk_nope, d_r = config.qk_rope, c = config.kv_lora_rank;
    const HiddenStates x(trial, n, config.d_model);

    const auto input = x.token(n - 1);
    WideVector qr = widen(input);
    if (config.q_lora_rank > 0)
      qr = wide_rms_norm(wide_product(w.wqa, 0, config.q_lora_rank, widen(input)), w.q_norm, config.eps);
    WideVector o;
    for (Index h = 0; h < config.heads; ++h) {
      const WideVector q_nope = wide_product(w.wqb, h * (d_n + d_r), d_n, qr);
      const WideVector q_rope =
          wide_interleaved_rope(wide_product(w.wqb, h * (d_n + d_r) + d_n, d_r, qr), config.rope_base, n - 1);
      WideVector s;
      std::vector<WideVector> v;
      for (Index j = 0; j < n; ++j) {
        const WideVector latent = wide_rms_norm(wide_product(w.wkva, 0, c, widen(x.token(j))), w.kv_norm, config.eps);
        const WideVector k_rope =
            wide_interleaved_rope(wide_product(w.wkva, c, d_r, widen(x.token(j))), config.rope_base, j);
        const WideVector k_nope = wide_product(w.wkvb, h * (d_n + config.d_v), d_n, latent);
        v.push_back(wide_product(w.wkvb, h * (d_n + config.d_v) + d_n, config.d_v, latent));
        s.push_back((wide_dot(q_nope, k_nope) + wide_dot(q_rope, k_rope)) / sqrt(Wide(d_n + d_r)));
      }
      const WideVector head = wide_softmax_mean(s, v);
      o.insert(o.end(), head.begin(), head.end());
    }
    const WideVector y = wide_product(w.wo, 0, config.d_model, o);
    const Both both(config, w, x);
    EXPECT_TRUE(relative_error(attended_output(both.expanded, input, both.expanded_cache, n - 1), to_double(y)) <=
                1e-12)
        << "trial " << trial;
  }
}

TEST(Mla, CachesTheNormalisedLatentAndTheRotatedKeyAndNothingElse) {
  Random random(23);
  for (int trial = 0; trial < 30; ++trial) {
    const MlaConfig config = random_config(random);
    const MlaWeights weights = MlaWeights::random(config, 1, trial);  // gains of one
    const HiddenStates x(trial, 5, config.d_model);
    const Both both(config, weights, x, 40);
    const LayerCache& cache = both.latent_cache;
    ASSERT_EQ(cache.k.size(), 1U);
    EXPECT_TRUE(cache.v.empty() && cache.local.empty() && cache.index_k.empty());
    EXPECT_EQ(cache.k[0].size(), static_cast<std::size_t>(5 * (config.kv_lora_rank + config.qk_rope)));
    const Rope rope(config.rope(RopePairs::interleaved));
    for (Index t = 0; t < 5; ++t) {
      const auto row = std::span(cache.k[0]).subspan(t * config.latent_width(), config.latent_width());
      const std::vector<double> raw = weights.wkva * x.token(t);
      double square = 0, raw_square = 0;
      for (Index c = 0; c < config.kv_lora_rank; ++c) square += row[c] * row[c], raw_square += raw[c] * raw[c];
      EXPECT_NEAR(square / config.kv_lora_rank, raw_square / (raw_square + config.kv_lora_rank * config.eps),
                  1e-12);  // unit mean square, less eps
      std::vector<double> k_rope(row.begin() + config.kv_lora_rank, row.end());
      rope.rotate(k_rope, -(40 + t));
      EXPECT_TRUE(relative_error(k_rope, std::span(raw).subspan(config.kv_lora_rank)) <= 1e-13);
    }
  }
}

TEST(Mla, ExpandingALatentCacheGivesTheBitsOfAppendingExpandedAndReadsTheRowsAlone) {
  Random random(24);
  for (int trial = 0; trial < 30; ++trial) {
    const MlaConfig config = random_config(random);
    Both both(config, random_weights(config, 1, trial), HiddenStates(trial, 6, config.d_model));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    both.latent_cache.v.assign(1, std::vector<double>(600, nan));
    both.latent_cache.local = both.latent_cache.v;
    both.latent_cache.index_k.assign(600, nan);
    const LayerCache expanded = both.expanded.expand(both.latent_cache);
    EXPECT_EQ(expanded.k, both.expanded_cache.k);
    EXPECT_EQ(expanded.v, both.expanded_cache.v);
    EXPECT_EQ(expanded.key_position, both.expanded_cache.key_position);
    EXPECT_EQ(expanded.tokens, 6);
  }
}

TEST(Mla, EveryExpandedHeadHasTheSameRotatedKey) {
  Random random(25);
  const MlaConfig config{
      .d_model = 20, .heads = 3, .q_lora_rank = 7, .kv_lora_rank = 9, .qk_nope = 5, .qk_rope = 4, .d_v = 6};
  const Both both(config, random_weights(config, 1, 1), HiddenStates(1, 4, 20));
  for (Index h = 0; h < 3; ++h)
    for (Index t = 0; t < 4; ++t)
      for (Index c = 0; c < 4; ++c)
        EXPECT_EQ(both.expanded_cache.k[h][t * 9 + 5 + c], both.latent_cache.k[0][t * 13 + 9 + c]);
}

TEST(Mla, ViewsHaveTheShapesOfTheModels) {
  const MlaConfig v3{
      .d_model = 4, .heads = 128, .q_lora_rank = 3, .kv_lora_rank = 512, .qk_nope = 128, .qk_rope = 64, .d_v = 128};
  const auto mla = std::make_shared<const Mla>(v3, MlaWeights::random(v3, 1, 1));
  const MechanismShape absorbed = MlaAbsorbed(mla).shape(), expanded = MlaExpanded(mla).shape();
  EXPECT_EQ(absorbed.h_kv, 1);
  EXPECT_EQ(absorbed.d_qk, 576);
  EXPECT_EQ(absorbed.d_v, 512);
  EXPECT_TRUE(absorbed.shared_kv);
  EXPECT_EQ(expanded.h_kv, 128);
  EXPECT_EQ(expanded.d_qk, 192);
  EXPECT_EQ(expanded.d_v, 128);
  EXPECT_FALSE(expanded.shared_kv);
  EXPECT_EQ(absorbed.sm_scale, expanded.sm_scale);
}

TEST(Mla, ScalesScoresByMSquaredWhereYarnStretchesTheContext) {
  MlaConfig config{.d_model = 4, .heads = 1, .kv_lora_rank = 2, .qk_nope = 128, .qk_rope = 64, .d_v = 1};
  EXPECT_NEAR(config.sm_scale(), 0.07216878364870322, 1e-16);  // 192^-1/2
  config.yarn = Yarn{.factor = 40};
  EXPECT_NEAR(config.sm_scale(), 1.3688879454113936 * 1.3688879454113936 / std::sqrt(192.0), 1e-15);
  config.mscale = 0.707;
  EXPECT_NEAR(config.sm_scale(), 1.2608037774058553 * 1.2608037774058553 / std::sqrt(192.0), 1e-15);
  config.yarn->factor = 1;
  EXPECT_NEAR(config.sm_scale(), 0.07216878364870322, 1e-16);
}

TEST(Mla, ShiftingEveryPositionChangesNoOutput) {
  Random random(26);
  for (int trial = 0; trial < 40; ++trial) {
    const MlaConfig config = random_config(random);
    const MlaWeights weights = random_weights(config, 2, trial);
    const HiddenStates x(trial, 9, config.d_model);
    const Both here(config, weights, x), there(config, weights, x, 5000);
    EXPECT_TRUE(relative_error(attended_output(there.absorbed, x.token(8), there.latent_cache, 5008),
                               attended_output(here.absorbed, x.token(8), here.latent_cache, 8)) <= 1e-9);
  }
}

// A score is a sum of d = 24 products of nearly independent normals over widths D >= 32, so that E s^4 is about
// (1 + 2/D)^2 (3 + 6/d) = 3.7 times (E s^2)^2, and the mean of N squares has a relative deviation below sqrt(3 / N).
TEST(Mla, RandomWeightsGiveScoresOfTheStatedDeviation) {
  const MlaConfig config{
      .d_model = 64, .heads = 1, .q_lora_rank = 48, .kv_lora_rank = 32, .qk_nope = 16, .qk_rope = 8, .d_v = 1};
  const int draws = 3000;
  double square = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const HiddenStates x(draw, 2, 64);
    const Both both(config, MlaWeights::random(config, 1.5, 1000 + draw), x);
    const double s =
        scores_of_head(both.expanded.shape(), both.expanded.query(x.token(1), 1), both.expanded_cache, 0)[0];
    square += s * s / draws;
  }
  EXPECT_NEAR(square / (1.5 * 1.5), 1, 5 * std::sqrt(3.0 / draws));
}

/// The message with which a configuration is refused.
std::string refusal(const MlaConfig& config) {
  try {
    config.check();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MlaFaults, NameTheFieldOfAnInvalidConfiguration) {
  const MlaConfig good{.d_model = 8, .heads = 2, .kv_lora_rank = 5, .qk_nope = 3, .qk_rope = 4, .d_v = 3};
  EXPECT_EQ(refusal(good), "accepted");
  MlaConfig config = good;
  config.qk_rope = 5;
  EXPECT_EQ(refusal(config), "qk_rope is 5; RoPE rotates pairs of channels, it must be even");
  EXPECT_THROW(MlaWeights::random(config, 1, 1), UsageError);
  EXPECT_THROW(Mla(config, {}), UsageError);
  config = good;
  config.kv_lora_rank = 0;
  EXPECT_EQ(refusal(config), "kv_lora_rank is 0; it must be at least 1");
  config = good;
  config.q_lora_rank = -1;
  EXPECT_EQ(refusal(config), "q_lora_rank is -1; it must be at least 0");
  config = good;
  config.eps = -1;
  EXPECT_EQ(refusal(config), "eps is -1; it must be at least 0");
  config = good;
  config.rope_base = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(config), "rope base is nan; it must be above 1");
}

TEST(MlaFaults, NameTheWeightOfAnotherShape) {
  const MlaConfig config{.d_model = 8, .heads = 2, .kv_lora_rank = 5, .qk_nope = 3, .qk_rope = 4, .d_v = 3};
  MlaWeights weights = MlaWeights::random(config, 1, 1);
  weights.wkvb = Matrix(12, 4);
  try {
    Mla(config, weights);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "weight wkvb is [12, 4]; the configuration needs [12, 5]");
  }
  weights = MlaWeights::random(config, 1, 1);
  weights.kv_norm.pop_back();
  EXPECT_THROW(Mla(config, weights), InputError);
}

}  // namespace
}  // namespace lacuna
