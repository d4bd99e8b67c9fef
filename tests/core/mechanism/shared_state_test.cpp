#include "core/mechanism/shared_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "mechanism/shared_state_definition.hpp"

namespace lacuna::testing_core::shared_state {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// [h_q, d] attended with K = V, per-head sinks in the denominator.
std::vector<double> naive_softmax(const MechanismShape& shape, const std::vector<double>& q,
                                  const std::vector<std::vector<double>>& keys) {
  std::vector<double> o(q.size(), 0.0);
  for (Index h = 0; h < shape.h_q; ++h) {
    double sum = std::exp(shape.sink_logit[h]);
    for (const auto& key : keys) {
      const double weight =
          std::exp(shape.sm_scale * std::inner_product(key.begin(), key.end(), q.begin() + h * shape.d_qk, 0.0));
      sum += weight;
      for (Index c = 0; c < shape.d_v; ++c) o[h * shape.d_v + c] += weight * key[c];
    }
    for (Index c = 0; c < shape.d_v; ++c) o[h * shape.d_v + c] /= sum;
  }
  return o;
}

/// What the query at t reads: local rows of its window and the entries whose position it has reached.
std::vector<std::vector<double>> seen(const MechanismShape& shape, const LayerCache& cache, Index t) {
  std::vector<std::vector<double>> keys;
  for (Index i = std::max<Index>(0, t + 1 - shape.local_window); i <= t; ++i)
    keys.push_back(row(cache.local[0], i, shape.d_qk));
  for (Index j = 0; j < cache.rows() && cache.key_position[j] <= t; ++j) keys.push_back(row(cache.k[0], j, shape.d_qk));
  return keys;
}

TEST(SharedState, OutputEqualsTheDefinitionOfTheLayer) {
  Random random(31);
  for (int round = 0; round < 150; ++round) {
    const SharedStateConfig config = random_config(random);
    const SharedStateWeights weights = random_weights(config, random);
    const SharedState layer(config, weights);
    const Index tokens = random.integer(1, 24);
    const std::vector<double> x = hidden_states(tokens, config.d_model, random);
    LayerCache cache = layer.start();
    layer.append(x, cache);
    const Index t = random.integer(0, tokens - 1);
    const QueryRows rows = layer.query(row(x, t, config.d_model), t);
    const auto y = layer.output(naive_softmax(layer.shape(), rows.q, seen(layer.shape(), cache, t)), t);
    ASSERT_LE(largest_error(y, {layer_output(config, weights, widened(x, config.d_model), t)}), 1e-12)
        << "ratio " << config.ratio << " tokens " << tokens << " position " << t;
  }
}

TEST(SharedState, RowsEqualTheirDefinition) {
  Random random(32);
  for (int round = 0; round < 100; ++round) {
    const SharedStateConfig config = random_config(random);
    const SharedStateWeights weights = random_weights(config, random);
    const SharedState layer(config, weights);
    const std::vector<double> x = hidden_states(random.integer(0, 40), config.d_model, random);
    LayerCache cache = layer.start();
    layer.append(x, cache);
    const LayerRows rows = layer_rows(config, weights, widened(x, config.d_model));
    ASSERT_LE(largest_error(cache.local[0], rows.local), 1e-13);
    ASSERT_LE(largest_error(cache.k[0], rows.entries), 1e-13);
    ASSERT_LE(largest_error(cache.index_k, rows.index_k), 1e-13);
    ASSERT_EQ(cache.rows(), static_cast<Index>(rows.entries.size()));
    EXPECT_TRUE(cache.v.empty());
    for (Index j = 0; j < cache.rows(); ++j) EXPECT_EQ(cache.key_position[j], (j + 1) * config.ratio - 1);
  }
}

void expect_equal_bits(const LayerCache& a, const LayerCache& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.k, b.k);
  EXPECT_EQ(a.local, b.local);
  EXPECT_EQ(a.index_k, b.index_k);
  EXPECT_EQ(a.key_position, b.key_position);
  EXPECT_EQ(a.main_state.values, b.main_state.values);
  EXPECT_EQ(a.main_state.logits, b.main_state.logits);
  EXPECT_EQ(a.index_state.values, b.index_state.values);
  EXPECT_EQ(a.index_state.logits, b.index_state.logits);
}

TEST(SharedState, ChunksOfAnySizeGiveTheSameBits) {
  Random random(33);
  std::vector<SharedStateConfig> configs;
  for (const Index ratio : {0, 4, 128}) configs.push_back(shrink(SharedStateConfig::v4_flash(ratio), random));
  for (const Index ratio : {1, 2}) configs.push_back(shrink(SharedStateConfig::v41_flash(ratio), random));
  for (int i = 0; i < 10; ++i) configs.push_back(random_config(random));
  for (const SharedStateConfig& config : configs) {
    const SharedState layer(config, random_weights(config, random));
    const Index tokens = random.integer(257, 300);
    const std::vector<double> x = hidden_states(tokens, config.d_model, random);
    LayerCache whole = layer.start();
    layer.append(x, whole);
    for (const Index chunk : {1, 2, 3, 4, 5, 6, 7, 8, 9, 128}) {
      LayerCache cache = layer.start();
      for (std::span<const double> rest(x); !rest.empty();) {
        const auto size = std::min<std::size_t>(rest.size(), chunk * config.d_model);
        layer.append(rest.first(size), cache);
        rest = rest.subspan(size);
      }
      expect_equal_bits(cache, whole);
    }
  }
}

TEST(SharedState, OutputDependsOnDifferencesOfPositionsOnly) {
  Random random(34);
  for (const Index ratio : {0, 4}) {
    SharedStateConfig config = small_v4();
    config.ratio = ratio;
    config.owns_indexer = ratio > 0;
    const SharedState layer(config, random_weights(config, random));
    const Rope rope(config.rope());
    // A row appended to an empty cache stands at position 0, where nothing is rotated.
    std::vector<std::vector<double>> unrotated;
    for (int i = 0; i < 7; ++i) {
      LayerCache cache = layer.start();
      layer.append(hidden_states(1, config.d_model, random), cache);
      unrotated.push_back(cache.local[0]);
    }
    const std::vector<double> x = hidden_states(1, config.d_model, random);
    const auto y = [&](Index row_shift, Index query_shift) {
      std::vector<std::vector<double>> keys = unrotated;
      for (std::size_t i = 0; i < keys.size(); ++i)
        rope.rotate(std::span(keys[i]).last(config.qk_rope), static_cast<Index>(2 * i) + row_shift);
      const Index t = 15 + query_shift;
      return layer.output(naive_softmax(layer.shape(), layer.query(x, t).q, keys), t);
    };
    const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
      double largest = 0;
      for (std::size_t c = 0; c < a.size(); ++c) largest = std::max(largest, std::abs(a[c] - b[c]));
      return largest;
    };
    const std::vector<double> here = y(0, 0);
    for (const Index shift : {1, 37, 5000}) {
      EXPECT_LE(distance(y(shift, shift), here), 1e-12 + 1e-14 * static_cast<double>(shift));
      EXPECT_GE(distance(y(shift, 0), here), 1e-3);
      EXPECT_GE(distance(y(0, shift), here), 1e-3);
    }
  }
}

TEST(SharedState, EveryGroupOfHeadsHasItsOwnProjection) {
  SharedStateConfig config = small_v4();
  config.d_model = 2;
  config.head_dim = config.d_index = config.o_lora_rank = 1;
  config.qk_rope = 0;
  SharedStateWeights weights = SharedStateWeights::random(config, 1);
  weights.output_down = {Matrix(1, 2, {1, 10}), Matrix(1, 2, {100, 1000})};
  weights.output_up = Matrix(2, 2, {1, 0, 0, 1});
  const SharedState layer(config, weights);
  EXPECT_EQ(layer.output(std::vector<double>{1, 2, 3, 4}, 9), (std::vector<double>{21, 4300}));
}

TEST(SharedState, V4NormalisesEveryQueryHead) {
  SharedStateConfig config = small_v4();
  config.eps = 1e-20;
  const SharedStateWeights weights = SharedStateWeights::random(config, 5);
  Random random(5);
  const std::vector<double> x = hidden_states(1, config.d_model, random);
  const auto mean_squares = [&](bool normalise) {
    config.normalise_q = normalise;
    const QueryRows rows = SharedState(config, weights).query(x, 11);
    std::vector<double> squares;
    for (Index h = 0; h < config.heads; ++h) {
      const auto q = row(rows.q, h, config.head_dim);
      squares.push_back(std::inner_product(q.begin(), q.end(), q.begin(), 0.0) / static_cast<double>(config.head_dim));
    }
    return squares;
  };
  for (const double square : mean_squares(true)) EXPECT_NEAR(square, 1, 1e-14);
  for (const double square : mean_squares(false)) EXPECT_GT(std::abs(square - 1), 1e-3);
}

TEST(SharedState, TokensOfAnIncompleteGroupReachNoEntry) {
  Random random(36);
  for (int round = 0; round < 60; ++round) {
    const SharedStateConfig config = random_config(random);
    if (!config.has_rows()) continue;
    const SharedState layer(config, random_weights(config, random));
    std::vector<double> x = hidden_states(random.integer(0, 4) * config.ratio, config.d_model, random);
    LayerCache complete = layer.start();
    layer.append(x, complete);
    x.resize(x.size() + random.integer(0, config.ratio - 1) * config.d_model, not_a_number);
    LayerCache cache = layer.start();
    layer.append(x, cache);
    EXPECT_EQ(cache.k, complete.k);
    EXPECT_EQ(cache.index_k, complete.index_k);
    EXPECT_EQ(cache.key_position, complete.key_position);
  }
}

TEST(SharedState, EntriesDoNotDependOnLaterTokens) {
  Random random(37);
  for (int round = 0; round < 30; ++round) {
    const SharedStateConfig config = random_config(random);
    const SharedState layer(config, random_weights(config, random));
    const Index tokens = random.integer(1, 40);
    const std::vector<double> x = hidden_states(tokens, config.d_model, random);
    LayerCache whole = layer.start();
    layer.append(x, whole);
    const Index t = random.integer(0, tokens - 1);
    LayerCache prefix = layer.start();
    layer.append(std::span(x).first((t + 1) * config.d_model), prefix);
    EXPECT_EQ(prefix.rows(), config.has_rows() ? (t + 1) / config.ratio : 0);
    EXPECT_TRUE(std::equal(prefix.k[0].begin(), prefix.k[0].end(), whole.k[0].begin()));
    EXPECT_TRUE(std::equal(prefix.index_k.begin(), prefix.index_k.end(), whole.index_k.begin()));
    EXPECT_TRUE(std::equal(prefix.local[0].begin(), prefix.local[0].end(), whole.local[0].begin()));
  }
}

TEST(SharedState, ReuseLayerHasLocalRowsAndQueriesOnly) {
  SharedStateConfig config = small_v4();
  config.owns_cache = config.owns_indexer = false;
  Random random(38);
  const SharedState layer(config, SharedStateWeights::random(config, 1));
  LayerCache cache = layer.start();
  const std::vector<double> x = hidden_states(9, config.d_model, random);
  layer.append(x, cache);
  EXPECT_EQ(cache.tokens, 9);
  EXPECT_EQ(cache.rows(), 0);
  EXPECT_TRUE(cache.k[0].empty());
  EXPECT_TRUE(cache.index_k.empty());
  EXPECT_TRUE(cache.main_state.values.empty());
  EXPECT_EQ(static_cast<Index>(cache.local[0].size()), 9 * config.head_dim);
  const QueryRows rows = layer.query(row(x, 8, config.d_model), 8);
  EXPECT_TRUE(rows.index_q.empty());
  EXPECT_TRUE(rows.index_weight.empty());
  EXPECT_FALSE(layer.shape().has_rows);
  EXPECT_EQ(layer.shape().index_heads, 0);
}

TEST(SharedState, ReindexLayerAsksWithItsOwnIndexQueriesAndMakesNoKeys) {
  Random random(39);
  SharedStateConfig config = shrink(SharedStateConfig::v41_flash(1), random);
  config.owns_cache = false;
  const SharedState layer(config, random_weights(config, random));
  LayerCache cache = layer.start();
  const std::vector<double> x = hidden_states(3, config.d_model, random);
  layer.append(x, cache);
  EXPECT_TRUE(cache.index_k.empty());
  EXPECT_EQ(cache.rows(), 0);
  EXPECT_EQ(static_cast<Index>(layer.query(row(x, 2, config.d_model), 2).index_q.size()),
            config.index_heads * config.d_index);
  EXPECT_EQ(layer.shape().index_heads, config.index_heads);
}

TEST(SharedState, SharedRotationsLetALayerReadAnotherLayersEntries) {
  // The Reuse layer's query against the owner's entries, by the definition over the owner's rows.
  Random random(40);
  const SharedStateConfig owner_config = shrink(SharedStateConfig::v41_flash(2), random);
  SharedStateConfig reader_config = owner_config;
  reader_config.owns_cache = reader_config.owns_indexer = false;
  const SharedStateWeights owner_weights = random_weights(owner_config, random);
  const SharedStateWeights reader_weights = random_weights(reader_config, random);
  const SharedState owner(owner_config, owner_weights);
  const SharedState reader(reader_config, reader_weights);
  const std::vector<double> x = hidden_states(11, owner_config.d_model, random);
  LayerCache cache = owner.start();
  owner.append(x, cache);
  const QueryRows rows = reader.query(row(x, 10, owner_config.d_model), 10);
  const RealRows wide = widened(x, owner_config.d_model);
  const RealRows entries = layer_rows(owner_config, owner_weights, wide).entries;
  ASSERT_EQ(cache.rows(), 5);
  for (Index h = 0; h < owner_config.heads; ++h)
    for (Index j = 0; j < 5; ++j) {
      const auto q = row(rows.q, h, owner_config.head_dim);
      const auto k = row(cache.k[0], j, owner_config.head_dim);
      EXPECT_NEAR(std::inner_product(q.begin(), q.end(), k.begin(), 0.0),
                  static_cast<double>(dot(query_head(reader_config, reader_weights, wide[10], h, 10), entries[j])),
                  1e-12);
    }
}

TEST(SharedState, ShapeTellsWhatAttentionReads) {
  const SharedStateConfig config = small_v4();
  const SharedStateWeights weights = SharedStateWeights::random(config, 2);
  const SharedState layer(config, weights);
  const MechanismShape& shape = layer.shape();
  EXPECT_EQ(shape.d_model, 12);
  EXPECT_EQ(shape.h_q, 4);
  EXPECT_EQ(shape.h_kv, 1);
  EXPECT_EQ(shape.d_qk, 10);
  EXPECT_EQ(shape.d_v, 10);
  EXPECT_TRUE(shape.shared_kv);
  EXPECT_TRUE(shape.has_rows);
  EXPECT_EQ(shape.ratio, 4);
  EXPECT_EQ(shape.local_window, 5);
  EXPECT_EQ(shape.index_heads, 3);
  EXPECT_EQ(shape.d_index, 6);
  EXPECT_DOUBLE_EQ(shape.sm_scale * shape.sm_scale, 0.1);
  EXPECT_EQ(shape.sink_logit, weights.sink_logit);
}

}  // namespace
}  // namespace lacuna::testing_core::shared_state
