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

TEST(SharedStateWeights, HeadsResembleTheFirstOneAsFarAsAsked) {
  SharedStateConfig config = small_v4();
  config.q_lora_rank = 200;
  const auto correlation_with_first = [&](double similarity, Index head) {
    config.head_similarity = similarity;
    const Matrix query = SharedStateWeights::random(config, 3).query_up;
    double xx = 0, yy = 0, xy = 0;
    for (Index i = 0; i < config.head_dim; ++i)
      for (Index c = 0; c < query.columns(); ++c) {
        const double x = query.row(i)[c], y = query.row(head * config.head_dim + i)[c];
        xx += x * x;
        yy += y * y;
        xy += x * y;
      }
    EXPECT_NEAR(yy / static_cast<double>(config.head_dim), 1, 0.15);  // rows of unit length, 10 x 200 entries
    return xy / std::sqrt(xx * yy);
  };
  for (const Index head : {1, 3}) {
    EXPECT_NEAR(correlation_with_first(0, head), 0, 0.1);  // 4.5 / sqrt(2000)
    EXPECT_NEAR(correlation_with_first(0.7, head), 0.7, 0.06);
    EXPECT_NEAR(correlation_with_first(1, head), 1, 1e-12);
  }
}

}  // namespace
}  // namespace lacuna::testing_core::shared_state
