#include "core/mechanism/shared_state_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "core/mechanism/shared_state.hpp"
#include "mechanism/shared_state_definition.hpp"

namespace lacuna::testing_core::shared_state {
namespace {

TEST(SharedStateWeights, WeightOfAnotherShapeIsNamed) {
  const SharedStateConfig config = small_v4();
  const auto message = [&](const std::function<void(SharedStateWeights&)>& change) {
    SharedStateWeights weights = SharedStateWeights::random(config, 1);
    change(weights);
    try {
      SharedState(config, weights);
    } catch (const InputError& fault) {
      return std::string(fault.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message([](auto&) {}), "nothing was thrown");
  EXPECT_EQ(message([](auto& w) { w.query_up = Matrix(1, 2); }),
            "weight query_up is [1, 2]; the configuration needs [40, 6]");
  EXPECT_EQ(message([](auto& w) { w.sink_logit = {}; }), "weight sink_logit is [0]; the configuration needs [4]");
  EXPECT_EQ(message([](auto& w) { w.output_down.pop_back(); }),
            "weight output_down has 1 groups; the configuration needs 2");
  EXPECT_NE(message([](auto& w) { w.indexer.weight = Matrix(2, 12); }).find("indexer.weight"), std::string::npos);
  EXPECT_NE(message([](auto& w) { w.compressor.gamma = {}; }).find("compressor.gamma"), std::string::npos);
}

TEST(SharedStateWeights, NormalisedStatesGiveRowsAndScoresOfOrderOne) {
  SharedStateConfig config = small_v4();
  config.d_model = 256;
  config.head_dim = 64;
  config.q_lora_rank = 64;
  config.normalise_q = false;
  const SharedState layer(config, SharedStateWeights::random(config, 3));
  Random random(3);
  const std::vector<double> x = hidden_states(200, config.d_model, random);
  LayerCache cache = layer.start();
  layer.append(x, cache);
  double square = 0;
  double count = 0;
  for (Index t = 0; t < 200; ++t) {
    const QueryRows rows = layer.query(row(x, t, config.d_model), t);
    for (Index h = 0; h < config.heads; ++h)
      for (Index i = 0; i < 200; i += 7) {
        const auto q = row(rows.q, h, config.head_dim);
        const auto k = row(cache.local[0], i, config.head_dim);
        square += std::pow(std::inner_product(q.begin(), q.end(), k.begin(), 0.0) * layer.shape().sm_scale, 2);
        count += 1;
      }
  }
  // Scores share 64 x 64 products of weights, so that their mean square is within a few times sqrt(2 / 64) of 1.
  EXPECT_NEAR(square / count, 1, 0.5);
}

}  // namespace
}  // namespace lacuna::testing_core::shared_state
