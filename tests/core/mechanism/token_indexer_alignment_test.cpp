// Aligned index weights: that they take the channels they claim, and how well their scores rank keys.
#include "core/mechanism/token_indexer_alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/mechanism/index_score.hpp"
#include "core/mechanism/norm.hpp"
#include "mechanism/hidden_states.hpp"
#include "mechanism/naive_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

SparseMlaConfig random_config(Random& random) {
  SparseMlaConfig config;
  config.mla.d_model = random.integer(2, 30);
  config.mla.heads = random.integer(1, 4);
  config.mla.q_lora_rank = random.chance(0.3) ? 0 : random.integer(2, 20);
  config.mla.kv_lora_rank = random.integer(1, 15);
  config.mla.qk_nope = random.integer(1, 9);
  config.mla.qk_rope = 2 * random.integer(1, 5);
  config.mla.d_v = random.integer(1, 5);
  if (random.chance(0.5)) config.mla.yarn = Yarn{.factor = 40};
  config.index_heads = random.integer(1, 4 * config.mla.heads + 1);
  config.d_index = config.mla.qk_rope + random.integer(0, 18);  // fewer latent channels than there are, all, or more
  return config;
}

/// Hidden states whose channel 0 is 1.
HiddenStates states_with_constant(std::uint64_t seed, Index tokens, Index d_model) {
  HiddenStates x(seed, tokens, d_model);
  for (Index t = 0; t < tokens; ++t) x.x[t * d_model] = 1;
  return x;
}

/// Per index channel, the channel of [c ; k^R] that it takes, or -1.
std::vector<Index> channels_taken(const SparseMlaConfig& config) {
  const Index d_r = config.mla.qk_rope, c = config.mla.kv_lora_rank;
  std::vector<Index> taken(config.d_index, -1);
  for (Index pair = 0; pair < d_r / 2; ++pair) {
    taken[pair] = c + 2 * pair;
    taken[pair + d_r / 2] = c + 2 * pair + 1;
  }
  const Index places = config.d_index - d_r;
  for (Index n = 0; n < std::min(places, c); ++n) taken[d_r + n] = places >= c ? n : n * c / places;
  return taken;
}

TEST(TokenIndexerAlignment, QueriesOfTheIndexAreTheAbsorbedQueriesInTheChannelsTaken) {
  Random random(51);
  for (int trial = 0; trial < 100; ++trial) {
    const SparseMlaConfig config = random_config(random);
    MlaWeights mla = MlaWeights::random(config.mla, 1.5, trial);
    for (double& gain : mla.q_norm) gain = random.uniform(0.5, 2);
    const SparseMla layer(config, {mla, aligned_token_indexer(config, mla)});
    const HiddenStates x(trial, 1, config.mla.d_model);
    const QueryRows query = layer.query(x.x, 777);
    const std::vector<Index> taken = channels_taken(config);
    const bool in_pairs = config.index_heads >= 2 * config.mla.heads;
    for (Index i = 0; i < config.index_heads; ++i) {
      const bool negated = in_pairs && i % 2 == 1;
      const Index followed = (in_pairs ? i / 2 : i) % config.mla.heads;
      for (Index p = 0; p < config.d_index; ++p) {
        const Index width = config.mla.latent_width();
        const double main = taken[p] < 0 ? 0 : query.q[followed * width + taken[p]];
        EXPECT_NEAR(query.index_q[i * config.d_index + p], negated ? -main : main, 1e-12 * (1 + std::abs(main)));
      }
    }
  }
}

TEST(TokenIndexerAlignment, TheIndexKeyIsTheNormalisedLatentRowBeforeItsNormInTheChannelsTaken) {
  Random random(52);
  for (int trial = 0; trial < 60; ++trial) {
    const SparseMlaConfig config = random_config(random);
    MlaWeights mla = MlaWeights::random(config.mla, 1, trial);
    for (double& gain : mla.kv_norm) gain = random.uniform(0.5, 2);
    const SparseMla layer(config, {mla, aligned_token_indexer(config, mla)});
    const HiddenStates x(trial, 1, config.mla.d_model);
    LayerCache cache = layer.start();
    cache.tokens = 91;
    layer.append(x.x, cache);

    const std::vector<double> raw = mla.wkva * x.token(0);
    const std::vector<Index> taken = channels_taken(config);
    std::vector<double> k(config.d_index, 0.0);
    for (Index p = 0; p < config.d_index; ++p)
      if (taken[p] >= 0) k[p] = raw[taken[p]] * (p < config.mla.qk_rope ? 1 : mla.kv_norm[taken[p]]);
    layer_norm(k, {}, {}, config.mla.eps);
    Rope(config.mla.rope(RopePairs::half_split)).rotate(std::span(k).first(config.mla.qk_rope), 91);
    EXPECT_TRUE(relative_error(cache.index_k, k) <= 1e-12);
  }
}

TEST(TokenIndexerAlignment, PairsOfHeadsMakeTheScoreLinear) {
  Random random(53);
  for (int trial = 0; trial < 60; ++trial) {
    SparseMlaConfig config = random_config(random);
    const Index sets = random.integer(1, 3), rest = random.integer(0, 2 * config.mla.heads - 1);
    config.index_heads = 2 * config.mla.heads * sets + rest;
    const MlaWeights mla = MlaWeights::random(config.mla, 1, trial);
    const SparseMla layer(config, {mla, aligned_token_indexer(config, mla)});
    const HiddenStates x = states_with_constant(trial, 7, config.mla.d_model);
    LayerCache cache = layer.start();
    layer.append(x.x, cache);
    const QueryRows query = layer.query(x.token(6), 6);
    const double scale = 1 / std::sqrt(static_cast<double>(config.index_heads * config.d_index));
    for (Index j = 0; j < 7; ++j) {
      const auto k = std::span(cache.index_k).subspan(j * config.d_index, config.d_index);
      double sum = 0, magnitude = 0;
      for (Index h = 0; h < config.mla.heads; ++h)
        for (Index p = 0; p < config.d_index; ++p) {
          sum += query.index_q[2 * h * config.d_index + p] * k[p];
          magnitude += std::abs(query.index_q[2 * h * config.d_index + p] * k[p]);
        }
      EXPECT_NEAR(index_score(query.index_q, query.index_weight, k), sets * scale * sum,
                  1e-13 * sets * scale * magnitude);
    }
    for (Index i = config.index_heads - rest; i < config.index_heads; ++i) EXPECT_EQ(query.index_weight[i], 0);
  }
}

TEST(TokenIndexerAlignment, WithFewerThanTwoHeadsPerMainHeadEveryWeightIsPositiveAndConstant) {
  SparseMlaConfig config{.mla = {.d_model = 9, .heads = 3, .kv_lora_rank = 5, .qk_nope = 3, .qk_rope = 4, .d_v = 2},
                         .index_heads = 5,
                         .d_index = 8};
  const MlaWeights mla = MlaWeights::random(config.mla, 1, 1);
  const SparseMla layer(config, {mla, aligned_token_indexer(config, mla)});
  const HiddenStates x = states_with_constant(1, 2, 9);
  const double weight = 1 / std::sqrt(40.0);
  for (Index t = 0; t < 2; ++t)
    for (const double w : layer.query(x.token(t), t).index_weight) EXPECT_NEAR(w, weight, 1e-16);
}

void expect_equal(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) EXPECT_TRUE(std::ranges::equal(a.row(i), b.row(i)));
}

TEST(TokenIndexerAlignment, QualityMixesAlignedAndRandomWeights) {
  Random random(54);
  const SparseMlaConfig config = random_config(random);
  const TokenIndexerWeights aligned = aligned_token_indexer(config, MlaWeights::random(config.mla, 1, 9));
  const TokenIndexerWeights other = random_token_indexer(config, 1, 9);
  for (const Matrix TokenIndexerWeights::*weight :
       {&TokenIndexerWeights::wq, &TokenIndexerWeights::wk, &TokenIndexerWeights::ww}) {
    expect_equal(mixed_token_indexer(0, aligned, other).*weight, other.*weight);
    expect_equal(mixed_token_indexer(1, aligned, other).*weight, aligned.*weight);
    const Matrix mixed = mixed_token_indexer(0.6, aligned, other).*weight;
    for (Index i = 0; i < mixed.rows(); ++i)
      for (Index c = 0; c < mixed.columns(); ++c)
        EXPECT_NEAR(mixed.row(i)[c], 0.6 * (aligned.*weight).row(i)[c] + 0.8 * (other.*weight).row(i)[c], 1e-14);
  }
}

TEST(TokenIndexerAlignmentFaults, RefuseAQualityOutsideZeroToOne) {
  Random random(55);
  const SparseMlaConfig config = random_config(random);
  for (const double quality : {-0.1, 1.1, std::nan("")}) {
    try {
      SparseMlaWeights::random(config, 1, quality, 1);
      FAIL() << quality << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("index_quality"), std::string::npos);
    }
  }
}

/// Ranks of the entries, ties at their mean.
std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t j) { return x[j]; });
  std::vector<double> rank(x.size());
  for (std::size_t begin = 0, end = 0; begin < x.size(); begin = end) {
    while (end < x.size() && x[order[end]] == x[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) rank[order[i]] = (begin + end - 1) / 2.0;
  }
  return rank;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (x.size() - 1) / 2.0;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    xy += (x[j] - mean) * (y[j] - mean);
    xx += (x[j] - mean) * (x[j] - mean);
    yy += (y[j] - mean) * (y[j] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

/// Rank correlation of the index score with the mean main score over heads, averaged over queries and seeds.
double agreement(Index index_heads, Index d_index, double quality) {
  const SparseMlaConfig config{
      .mla = {.d_model = 96, .heads = 6, .q_lora_rank = 64, .kv_lora_rank = 48, .qk_nope = 24, .qk_rope = 12, .d_v = 4},
      .index_heads = index_heads,
      .d_index = d_index};
  const Index n = 256, seeds = 6, queries = 8;
  double sum = 0;
  for (Index seed = 1; seed <= seeds; ++seed) {
    const SparseMla layer(config, SparseMlaWeights::random(config, 1, quality, seed));
    const HiddenStates x = states_with_constant(seed, n, config.mla.d_model);
    LayerCache cache = layer.start();
    layer.append(x.x, cache);
    for (Index t = n - queries; t < n; ++t) {
      const QueryRows query = layer.query(x.token(t), t);
      std::vector<double> index(n), main(n, 0.0);
      for (Index j = 0; j < n; ++j)
        index[j] = index_score(query.index_q, query.index_weight,
                               std::span(cache.index_k).subspan(j * config.d_index, config.d_index));
      for (Index h = 0; h < config.mla.heads; ++h) {
        const std::vector<double> s = scores_of_head(layer.shape(), query, cache, h);
        for (Index j = 0; j < n; ++j) main[j] += s[j] / config.mla.heads;
      }
      sum += spearman(index, main) / (seeds * queries);
    }
  }
  return sum;
}

TEST(TokenIndexerAlignment, PairedHeadsOnEveryChannelRankKeysAlmostAsTheMainScoresDo) {
  const double best = agreement(12, 60, 1);
  EXPECT_GT(best, 0.97);
  EXPECT_LT(best, 1);  // the LayerNorm keeps it approximate
}

// Of standard normal s, max(s, 0) has the correlation 0.5 / sqrt(0.5 - 1 / (2 pi)) = 0.856 with s.
TEST(TokenIndexerAlignment, RectifiedHeadsOnEveryChannelRankKeysAsHalfNormalsDo) {
  EXPECT_NEAR(agreement(6, 60, 1), 0.84, 0.06);
}

TEST(TokenIndexerAlignment, AgreementGrowsWithQualityFromNone) {
  const double none = agreement(12, 60, 0), half = agreement(12, 60, 0.5), most = agreement(12, 60, 0.9);
  EXPECT_NEAR(none, 0, 0.05);
  EXPECT_GT(half, 0.06);
  EXPECT_LT(half, 0.3);
  EXPECT_GT(most, 0.5);
  EXPECT_LT(most, 0.85);
}

TEST(TokenIndexerAlignment, LeftOutLatentChannelsCostAgreement) {
  const double narrow = agreement(12, 12 + 12, 1);
  EXPECT_GT(narrow, 0.5);
  EXPECT_LT(narrow, 0.85);
}

}  // namespace
}  // namespace lacuna
