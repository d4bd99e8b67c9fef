#include "core/mechanism/indexer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/mechanism/index_score.hpp"
#include "mechanism/shared_state_definition.hpp"

namespace lacuna::testing_core::shared_state {
namespace {

/// A small layer with an indexer of the kind.
SharedStateConfig indexed_config(IndexKeySource keys, Random& random) {
  if (keys == IndexKeySource::hidden_states) return shrink(SharedStateConfig::v4_flash(4), random);
  return shrink(SharedStateConfig::v41_flash(random.integer(1, 2)), random);
}

class EveryIndexer : public testing::TestWithParam<IndexKeySource> {};

/// Main scores of one head and index scores of a query against every row of a cache.
struct Scores {
  std::vector<double> main;
  std::vector<double> index;
};

Scores scores(const SharedStateConfig& config, const SharedStateWeights& weights, std::uint64_t seed, Index tokens) {
  Random random(seed);
  const SharedState layer(config, weights);
  LayerCache cache = layer.start();
  const std::vector<double> x = hidden_states(tokens, config.d_model, random);
  layer.append(x, cache);
  const QueryRows rows = layer.query(std::span(x).last(config.d_model), tokens - 1);
  Scores result;
  for (Index j = 0; j < cache.rows(); ++j) {
    const double* key = cache.k[0].data() + j * config.head_dim;
    result.main.push_back(std::inner_product(key, key + config.head_dim, rows.q.begin(), 0.0));
    result.index.push_back(index_score(rows.index_q, rows.index_weight, row(cache.index_k, j, config.d_index)));
  }
  return result;
}

std::vector<std::size_t> ranking(const std::vector<double>& score) {
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return score[a] > score[b]; });
  return order;
}

double spearman(const Scores& s) {
  std::vector<double> rank(s.main.size());
  const auto main = ranking(s.main);
  const auto index = ranking(s.index);
  for (std::size_t i = 0; i < main.size(); ++i) rank[main[i]] = static_cast<double>(i);
  double square = 0;
  for (std::size_t i = 0; i < index.size(); ++i) square += std::pow(rank[index[i]] - static_cast<double>(i), 2);
  const double n = static_cast<double>(main.size());
  return 1 - 6 * square / (n * (n * n - 1));
}

/// A layer with one main head whose index rows have as many channels as its main rows.
SharedStateConfig fully_aligned(IndexKeySource keys, Index index_heads) {
  SharedStateConfig config =
      keys == IndexKeySource::hidden_states ? SharedStateConfig::v4_flash(4) : SharedStateConfig::v41_flash(2);
  config.d_model = 24;
  config.heads = 1;
  config.head_dim = config.d_index = 16;
  config.qk_rope = 6;
  config.q_lora_rank = 12;
  config.o_groups = 1;
  config.o_lora_rank = 4;
  config.index_heads = index_heads;
  config.index_quality = 1;
  return config;
}

TEST_P(EveryIndexer, KeysQueriesAndWeightsEqualTheirDefinition) {
  Random random(21);
  for (int round = 0; round < 60; ++round) {
    const SharedStateConfig config = indexed_config(GetParam(), random);
    const SharedStateWeights weights = random_weights(config, random);
    const SharedState layer(config, weights);
    const std::vector<double> x = hidden_states(random.integer(1, 20), config.d_model, random);
    const RealRows wide = widened(x, config.d_model);
    LayerCache cache = layer.start();
    layer.append(x, cache);
    ASSERT_LE(largest_error(cache.index_k, layer_rows(config, weights, wide).index_k), 1e-13);

    const Index t = random.integer(0, 100000);
    const QueryRows rows = layer.query(std::span(x).first(config.d_model), t);
    const RealVector index_q = project(weights.indexer.query, low_rank_query(config, weights, wide[0]));
    RealRows heads;
    for (Index h = 0; h < config.index_heads; ++h)
      heads.push_back(rotated(head(index_q, h, config.d_index), config, t));
    // An angle of t radians in double is off by t 2^-53.
    ASSERT_LE(largest_error(rows.index_q, heads), 1e-13 + 1e-15 * static_cast<double>(t));
    RealVector weight = project(weights.indexer.weight, wide[0]);
    for (Real& w : weight) w /= std::sqrt(static_cast<Real>(config.d_index * config.index_heads));
    ASSERT_LE(largest_error(rows.index_weight, {weight}), 1e-13);
  }
}

TEST_P(EveryIndexer, FullQualityRanksEntriesAsTheMainScoresDo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SharedStateConfig config = fully_aligned(GetParam(), 2);
    const Scores s = scores(config, SharedStateWeights::random(config, seed), seed, 400);
    ASSERT_GE(s.main.size(), 100U);
    EXPECT_LT(*std::ranges::min_element(s.main), 0);
    EXPECT_EQ(ranking(s.index), ranking(s.main));
  }
}

TEST_P(EveryIndexer, OneIndexHeadRanksPositiveScoresAndRectifiesTheOthers) {
  const SharedStateConfig config = fully_aligned(GetParam(), 1);
  const Scores s = scores(config, SharedStateWeights::random(config, 4), 4, 400);
  Scores positive;
  for (std::size_t j = 0; j < s.main.size(); ++j) {
    if (s.main[j] > 0) {
      positive.main.push_back(s.main[j]);
      positive.index.push_back(s.index[j]);
    } else {
      EXPECT_EQ(s.index[j], 0);
    }
  }
  ASSERT_GT(positive.main.size(), 20U);
  EXPECT_EQ(ranking(positive.index), ranking(positive.main));
}

/// Mean Spearman correlation of index and main scores over layers of other weights and states.
double mean_agreement(const SharedStateConfig& config) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    sum += spearman(scores(config, SharedStateWeights::random(config, seed), seed, 200));
  return sum / 40;
}

/// Spearman correlation of normal pairs whose Pearson correlation is r.
double spearman_of_normal(double r) { return 6 / std::numbers::pi * std::asin(r / 2); }

TEST_P(EveryIndexer, AgreementFallsAboutAsTheCubeOfQuality) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    SharedStateConfig config = fully_aligned(GetParam(), 2);
    config.index_quality = rho;
    EXPECT_NEAR(mean_agreement(config), spearman_of_normal(rho * rho * rho), rho == 1 ? 1e-12 : 0.15) << rho;
  }
}

TEST_P(EveryIndexer, AQuarterOfTheChannelsKeepsHalfTheCorrelation) {
  SharedStateConfig config = fully_aligned(GetParam(), 2);
  config.d_model = config.q_lora_rank = config.head_dim = 64;
  config.d_index = 16;
  EXPECT_NEAR(mean_agreement(config), spearman_of_normal(0.5), 0.08);
}

INSTANTIATE_TEST_SUITE_P(Indexer, EveryIndexer, testing::Values(IndexKeySource::hidden_states, IndexKeySource::latent),
                         [](const auto& kind) {
                           return kind.param == IndexKeySource::hidden_states ? "HiddenStates" : "Latent";
                         });

TEST(Indexer, ReadsTheLatentBeforeRope) {
  // An entry far from position 0 has the same index key as an equal one at position 0 but for its own rotation.
  SharedStateConfig config = fully_aligned(IndexKeySource::latent, 2);
  Random random(6);
  const SharedState layer(config, random_weights(config, random));
  const std::vector<double> pair = hidden_states(2, config.d_model, random);
  std::vector<double> x;
  for (int i = 0; i < 30; ++i) x.insert(x.end(), pair.begin(), pair.end());
  LayerCache cache = layer.start();
  layer.append(x, cache);
  const Rope rope(config.rope());
  for (Index j = 0; j < 30; ++j) {
    std::vector<double> key(cache.index_k.begin() + j * config.d_index,
                            cache.index_k.begin() + (j + 1) * config.d_index);
    rope.rotate(std::span(key).last(config.qk_rope), -2 * j);
    for (Index c = 0; c < config.d_index; ++c) EXPECT_NEAR(key[c], cache.index_k[c], 1e-14);
  }
}

TEST(Indexer, FullQualityFollowsTheMainCompressorsGamma) {
  const SharedStateConfig config = fully_aligned(IndexKeySource::hidden_states, 2);
  Random random(7);
  SharedStateWeights weights = SharedStateWeights::random(config, 7);
  weights.compressor.gamma = random_gamma(config.head_dim, random);
  weights.indexer = IndexerWeights::random(config, weights.query_up, weights.compressor, 7);
  const Scores s = scores(config, weights, 7, 400);
  EXPECT_EQ(ranking(s.index), ranking(s.main));
}

}  // namespace
}  // namespace lacuna::testing_core::shared_state
