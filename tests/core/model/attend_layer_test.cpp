#include "core/model/attend_layer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "core/mechanism/mla.hpp"
#include "core/mechanism/projected_attention.hpp"
#include "core/mechanism/shared_state.hpp"
#include "core/reference/exact_row.hpp"
#include "mechanism/hidden_states.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kTokens = 31;
constexpr Index kModel = 32;

SharedStateConfig shared_config(Index ratio) {
  SharedStateConfig config = SharedStateConfig::v4_flash(ratio);
  config.d_model = kModel;
  config.heads = 4;
  config.head_dim = 12;
  config.qk_rope = 4;
  config.q_lora_rank = 8;
  config.o_groups = 2;
  config.o_lora_rank = 5;
  config.local_window = 6;
  config.index_heads = 2;
  config.d_index = 8;
  return config;
}

std::vector<std::unique_ptr<Mechanism>> mechanisms() {
  std::vector<std::unique_ptr<Mechanism>> all;
  for (const Index window : {0, 5}) {
    const ProjectedConfig config{.d_model = kModel, .h_q = 6, .h_kv = 2, .d_qk = 5, .d_v = 7, .local_window = window};
    all.push_back(std::make_unique<ProjectedAttention>(config, ProjectedWeights::random(config, 3, 1)));
  }
  const MlaConfig mla{.d_model = kModel, .heads = 3, .kv_lora_rank = 6, .qk_nope = 4, .qk_rope = 4, .d_v = 5};
  all.push_back(std::make_unique<MlaAbsorbed>(std::make_shared<const Mla>(mla, MlaWeights::random(mla, 2, 2))));
  for (const Index ratio : {0, 4})
    all.push_back(
        std::make_unique<SharedState>(shared_config(ratio), SharedStateWeights::random(shared_config(ratio), 3)));
  return all;
}

LayerInputs inputs_of(const Mechanism& mechanism, const LayerCache& cache, const QueryRows& query,
                      const Index& position) {
  return {.mechanism = &mechanism,
          .rows = mechanism.shape().has_rows ? &cache : nullptr,
          .local = &cache,
          .queries = std::span(&query, 1),
          .query_position = std::span(&position, 1)};
}

TEST(ExactAttend, AgreesWithTheRuler) {
  const HiddenStates x(61, kTokens, kModel);
  for (const auto& mechanism : mechanisms()) {
    LayerCache cache = mechanism->start();
    mechanism->append(x.x, cache);
    const Index d_v = mechanism->shape().d_v;
    for (const Index position : {0, 1, 3, 4, 9, 30}) {
      const QueryRows query = mechanism->query(x.tokens(position, 1), position);
      const LayerInputs inputs = inputs_of(*mechanism, cache, query, position);
      const std::vector<double> o = ExactAttend().attend(0, inputs);
      const AttentionProblem problem = problem_of<double>(inputs);
      const SeenRows seen = problem.seen(position);
      for (Index h = 0; h < problem.h_q(); ++h) {
        const Index g = problem.kv_head_of(h);
        const ExactRow row = exact_row(problem.queries(h), 0, problem.seen_keys(g, seen), problem.seen_values(g, seen),
                                       seen.count(), problem.sm_scale, problem.sink(h), seen.local);
        for (Index c = 0; c < d_v; ++c) ASSERT_NEAR(o[h * d_v + c], row.o[c], 1e-13) << position;
      }
    }
  }
}

TEST(ExactAttend, ReadsNoRowBehindTheQueryOrOutsideItsWindow) {
  const HiddenStates x(62, kTokens, kModel);
  const Index position = 17;
  for (const auto& mechanism : mechanisms()) {
    const MechanismShape& shape = mechanism->shape();
    LayerCache cache = mechanism->start();
    mechanism->append(x.x, cache);
    const QueryRows query = mechanism->query(x.tokens(position, 1), position);
    const std::vector<double> o = ExactAttend().attend(0, inputs_of(*mechanism, cache, query, position));
    const auto poison = [](std::vector<std::vector<double>>& heads, Index row, Index width) {
      for (std::vector<double>& rows : heads)
        std::fill_n(rows.begin() + row * width, width, std::numeric_limits<double>::quiet_NaN());
    };
    Index poisoned = 0;
    for (Index j = 0; j < cache.rows(); ++j) {
      if (cache.key_position[j] <= position) continue;
      ++poisoned;
      poison(cache.k, j, shape.d_qk);
      poison(cache.v, j, shape.d_v);
    }
    for (Index t = 0; t < kTokens && shape.local_window > 0; ++t) {
      if (t <= position && t > position - shape.local_window) continue;
      ++poisoned;
      poison(cache.local, t, shape.d_qk);
      poison(cache.local_v, t, shape.d_v);
    }
    EXPECT_GT(poisoned, 2);
    EXPECT_EQ(ExactAttend().attend(0, inputs_of(*mechanism, cache, query, position)), o);
  }
}

TEST(ExactAttend, ScoresFarFromZeroNeitherOverflowNorVanish) {
  const ProjectedConfig config{.d_model = 1, .h_q = 1, .h_kv = 1, .d_qk = 1, .d_v = 1};
  const ProjectedAttention layer(
      config, {.wq = Matrix(1, 1, {1e4}), .wk = Matrix(1, 1, {1}), .wv = Matrix(1, 1, {1}), .wo = Matrix(1, 1, {1})});
  for (const double sign : {1.0, -1.0}) {
    LayerCache cache = layer.start();
    layer.append(std::vector<double>{2 * sign, 3 * sign}, cache);
    const Index position = 1;
    const QueryRows query = layer.query(std::vector<double>{3}, position);
    const std::vector<double> o = ExactAttend().attend(0, inputs_of(layer, cache, query, position));
    EXPECT_EQ(o, std::vector<double>{sign > 0 ? 3.0 : -2.0});  // a gap of 3e4 in the scores
  }
}

}  // namespace
}  // namespace lacuna
