// Projected attention with a window, with biases, and without rows of its own.
#include <gtest/gtest.h>

#include <limits>

#include "core/mechanism/problem.hpp"
#include "core/mechanism/projected_attention.hpp"
#include "core/reference/exact_row.hpp"
#include "mechanism/hidden_states.hpp"
#include "mechanism/naive_attention.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kTokens = 23;

ProjectedConfig base_config() {
  return {.d_model = 9, .h_q = 4, .h_kv = 2, .d_qk = 6, .d_v = 3, .rope = RopeParameters{.channels = 4}};
}

/// The layer's problem of one query at `position`, attended by the ruler: [h_q][d_v].
std::vector<std::vector<double>> ruler_outputs(const ProjectedAttention& layer, std::span<const double> x,
                                               const LayerCache& cache, Index position) {
  const QueryRows query = layer.query(x, position);
  const AttentionProblem problem = problem_of<double>({.mechanism = &layer,
                                                       .rows = layer.shape().has_rows ? &cache : nullptr,
                                                       .local = &cache,
                                                       .queries = std::span(&query, 1),
                                                       .query_position = std::span(&position, 1)});
  const SeenRows seen = problem.seen(position);
  std::vector<std::vector<double>> o;
  for (Index h = 0; h < problem.h_q(); ++h) {
    const Index g = problem.kv_head_of(h);
    o.push_back(exact_row(problem.queries(h), 0, problem.seen_keys(g, seen), problem.seen_values(g, seen), seen.count(),
                          problem.sm_scale, problem.sink(h), seen.local)
                    .o);
  }
  return o;
}

TEST(SlidingWindow, AttendsTheLastTokensOfFullAttention) {
  const HiddenStates x(51, kTokens, 9);
  const ProjectedConfig full = base_config();
  const ProjectedWeights weights = ProjectedWeights::random(full, 1, 3);
  const ProjectedAttention whole(full, weights);
  for (const Index window : {1, 2, 5, 22, 23, 40}) {
    ProjectedConfig config = full;
    config.local_window = window;
    const ProjectedAttention layer(config, weights);
    EXPECT_FALSE(layer.shape().has_rows);
    LayerCache local = layer.start(), rows = whole.start();
    for (Index t = 0; t < kTokens; ++t) {
      layer.append(x.tokens(t, 1), local);
      whole.append(x.tokens(t, 1), rows);
      // Full attention over a cache from which all but the last tokens were cut.
      LayerCache cut = rows;
      const Index gone = std::max<Index>(t + 1 - window, 0);
      for (auto& k : cut.k) k.erase(k.begin(), k.begin() + gone * 6);
      for (auto& v : cut.v) v.erase(v.begin(), v.begin() + gone * 3);
      cut.key_position.erase(cut.key_position.begin(), cut.key_position.begin() + gone);
      const std::vector<double> expected = attention_over_cache(whole.shape(), whole.query(x.tokens(t, 1), t), cut, t);
      const auto o = ruler_outputs(layer, x.tokens(t, 1), local, t);
      for (Index h = 0; h < 4; ++h)
        for (Index c = 0; c < 3; ++c) ASSERT_NEAR(o[h][c], expected[h * 3 + c], 1e-13) << window << " at " << t;
    }
    EXPECT_EQ(local.rows(), 0);
  }
}

TEST(SlidingWindow, ReadsNoTokenOutsideTheWindow) {
  ProjectedConfig config = base_config();
  config.local_window = 4;
  const ProjectedAttention layer(config, ProjectedWeights::random(config, 1, 4));
  const HiddenStates x(52, kTokens, 9);
  LayerCache cache = layer.start();
  layer.append(x.x, cache);
  const Index position = 15;
  const auto before = ruler_outputs(layer, x.tokens(position, 1), cache, position);
  for (Index t = 0; t < kTokens; ++t) {
    if (t > position - 4 && t <= position) continue;
    for (Index g = 0; g < 2; ++g) {
      std::fill_n(cache.local[g].begin() + t * 6, 6, std::numeric_limits<double>::quiet_NaN());
      std::fill_n(cache.local_v[g].begin() + t * 3, 3, std::numeric_limits<double>::quiet_NaN());
    }
  }
  EXPECT_EQ(ruler_outputs(layer, x.tokens(position, 1), cache, position), before);
}

TEST(SharedProjectedRows, ALayerWithoutACacheOfItsOwnAsksAnothersRows) {
  const ProjectedConfig config = base_config();
  ProjectedConfig reader_config = config;
  reader_config.owns_cache = false;
  const ProjectedWeights weights = ProjectedWeights::random(config, 1, 5);
  ProjectedWeights reader_weights = weights;
  reader_weights.wk = Matrix();
  reader_weights.wv = Matrix();
  const ProjectedAttention owner(config, weights), reader(reader_config, reader_weights);
  const HiddenStates x(53, kTokens, 9);
  LayerCache rows = owner.start(), none = reader.start();
  owner.append(x.x, rows);
  reader.append(x.x, none);
  EXPECT_EQ(none.tokens, kTokens);
  EXPECT_EQ(none.rows(), 0);
  EXPECT_TRUE(none.k.empty() && none.v.empty());
  EXPECT_FALSE(reader.shape().has_rows);
  EXPECT_EQ(attended_output(reader, x.tokens(7, 1), rows, 7), attended_output(owner, x.tokens(7, 1), rows, 7));
  EXPECT_THROW(ProjectedAttention(reader_config, weights), InputError);  // keys that nobody would read
}

TEST(ProjectedBias, IsAddedToEveryProjection) {
  ProjectedConfig config{.d_model = 2, .h_q = 1, .h_kv = 1, .d_qk = 2, .d_v = 1, .bias = true};
  const ProjectedWeights weights{.wq = Matrix(2, 2, {1, 2, 3, 4}),
                                 .wk = Matrix(2, 2, {5, 6, 7, 8}),
                                 .wv = Matrix(1, 2, {9, 10}),
                                 .wo = Matrix(2, 1, {11, 12}),
                                 .bq = {0.5, 0.25},
                                 .bk = {-1, -2},
                                 .bv = {100},
                                 .bo = {0, 1000}};
  const ProjectedAttention layer(config, weights);
  const std::vector<double> x = {1, 1};
  LayerCache cache = layer.start();
  layer.append(x, cache);
  EXPECT_EQ(layer.query(x, 0).q, (std::vector<double>{3.5, 7.25}));
  EXPECT_EQ(cache.k[0], (std::vector<double>{10, 13}));
  EXPECT_EQ(cache.v[0], (std::vector<double>{119}));
  EXPECT_EQ(layer.output(std::vector<double>{2}, 0), (std::vector<double>{22, 1024}));
  ProjectedWeights without = weights;
  without.bk.clear();
  EXPECT_THROW(ProjectedAttention(config, without), InputError);
  config.bias = false;
  EXPECT_THROW(ProjectedAttention(config, weights), InputError);
}

TEST(SlidingWindow, ChecksNameTheField) {
  ProjectedConfig config = base_config();
  config.local_window = -1;
  EXPECT_THROW(config.check(), UsageError);
  config.local_window = 3;
  EXPECT_NO_THROW(config.check());
  config.owns_cache = false;
  EXPECT_THROW(config.check(), UsageError);
}

}  // namespace
}  // namespace lacuna
