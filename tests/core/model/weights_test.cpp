#include "core/model/weights.hpp"

#include <gtest/gtest.h>

#include <set>

#include "model/small_models.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(ModelWeights, AreAFunctionOfTheSeedAndDifferFromLayerToLayer) {
  for (const ModelDescription& model : small_models()) {
    SCOPED_TRACE(model.name);
    const ModelWeights a = random_weights(model, 1), b = random_weights(model, 1), c = random_weights(model, 2);
    std::set<double> seen;
    for (std::size_t i = 0; i < a.layers.size(); ++i) {
      const auto number = [&](const ModelWeights& weights) { return weights.layers[i].feed_forward.up.row(1)[1]; };
      EXPECT_EQ(number(a), number(b));
      EXPECT_NE(number(a), number(c));
      seen.insert(number(a));
    }
    EXPECT_EQ(seen.size(), a.layers.size());
    EXPECT_NO_THROW(a.check(model));
  }
}

TEST(ModelWeights, KeepChannelZeroOfTheResidualStreamAtOne) {
  for (const ModelDescription& model : small_models()) {
    if (model.norm_place == NormPlace::after) continue;
    SCOPED_TRACE(model.name);
    Random random(3);
    const Decoder decoder(model, random_weights(model, 4));
    ModelCache cache = decoder.start();
    const std::vector<double> hidden = decoder.append(random_tokens(model, 20, random), cache);
    for (Index t = 0; t < 20; ++t) {
      EXPECT_NEAR(hidden[t * model.d_model], 1, 1e-15);
      EXPECT_GT(std::abs(hidden[t * model.d_model + 1] - 1), 1e-6);
    }
  }
}

/// Attends exactly and records the attention mass of the rows that an indexer scores highest.
class IndexMass final : public AttendLayer {
 public:
  std::vector<double> attend(Index label, const LayerInputs& inputs) override {
    const MechanismShape& shape = inputs.mechanism->shape();
    const QueryRows& query = inputs.queries.front();
    if (shape.index_heads > 0 && inputs.rows->rows() >= 12) {
      const Index rows = inputs.rows->rows();
      std::vector<std::pair<double, Index>> ranked;
      for (Index j = 0; j < rows; ++j) {
        double score = 0;
        for (Index i = 0; i < shape.index_heads; ++i) {
          double s = 0;
          for (Index c = 0; c < shape.d_index; ++c)
            s += query.index_q[i * shape.d_index + c] * inputs.rows->index_k[j * shape.d_index + c];
          score += query.index_weight[i] * std::max(s, 0.0);
        }
        ranked.emplace_back(-score, j);
      }
      std::sort(ranked.begin(), ranked.end());
      for (Index h = 0; h < shape.h_q; ++h) {
        std::vector<double> e;
        double z = 0;
        for (Index j = 0; j < rows; ++j) {
          double s = 0;
          for (Index c = 0; c < shape.d_qk; ++c)
            s += query.q[h * shape.d_qk + c] * inputs.rows->k[0][j * shape.d_qk + c];
          z += e.emplace_back(std::exp(shape.sm_scale * s));
        }
        for (Index i = 0; i < rows / 4; ++i) mass += e[ranked[i].second] / z;
        ++count;
      }
    }
    return exact_.attend(label, inputs);
  }
  double mass = 0;
  double count = 0;

 private:
  ExactAttend exact_;
};

/// A pair of index heads for each of the four main heads.
ModelDescription with_paired_index_heads(ModelDescription model) {
  for (LayerDescription& layer : model.layers) {
    if (auto* shared = std::get_if<SharedStateConfig>(&layer.attention)) shared->index_heads = 8;
    if (auto* sparse = std::get_if<SparseMlaConfig>(&layer.attention)) sparse->index_heads = 8;
  }
  return model;
}

TEST(ModelWeights, AlignedIndexersFindMoreAttentionMassThanRandomOnes) {
  for (const ModelDescription& published : {small_mla("v32"), small_v4(), v41_small(32)}) {
    SCOPED_TRACE(published.name);
    const ModelDescription model = with_paired_index_heads(published);
    const auto mass_of_a_quarter = [&](double quality) {
      Random random(5);
      const Decoder decoder(model, ModelWeights::random(model, {.score_std = 2, .index_quality = quality}, 6));
      ModelCache cache = decoder.start();
      IndexMass attend;
      decoder.append(random_tokens(model, 80, random), cache, attend);
      return attend.mass / attend.count;
    };
    const double random = mass_of_a_quarter(0), aligned = mass_of_a_quarter(1);
    EXPECT_GT(aligned, random + 0.05);  // random finds about a quarter
  }
}

TEST(ModelWeights, QueriesOfSharedStatesResembleEachOtherToTheDegree) {
  const ModelDescription model = v41_small(32);
  const auto correlation = [&](double similarity) {
    const ModelWeights weights = ModelWeights::random(model, {.query_similarity = similarity}, 7);
    const Matrix& a = std::get<SharedStateWeights>(weights.layers[3].attention).query_up;
    const Matrix& b = std::get<SharedStateWeights>(weights.layers[12].attention).query_up;
    double ab = 0, aa = 0, bb = 0;
    for (Index i = 0; i < a.rows(); ++i)
      for (Index c = 0; c < a.columns(); ++c) {
        ab += a.row(i)[c] * b.row(i)[c];
        aa += a.row(i)[c] * a.row(i)[c];
        bb += b.row(i)[c] * b.row(i)[c];
      }
    return ab / std::sqrt(aa * bb);
  };
  EXPECT_NEAR(correlation(0), 0, 0.1);
  EXPECT_NEAR(correlation(0.9), 0.81, 0.05);
  EXPECT_NEAR(correlation(1), 1, 1e-12);
}

TEST(ModelWeights, CheckNamesTheWeight) {
  const ModelDescription model = small_post_norm();
  const auto message = [&](auto&& change) {
    ModelWeights weights = random_weights(model, 8);
    change(weights);
    try {
      Decoder decoder(model, std::move(weights));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto names = [](const std::string& text, const std::string& weight) {
    EXPECT_NE(text.find(weight), std::string::npos) << "'" << text << "' does not name " << weight;
  };
  EXPECT_EQ(message([](auto&) {}), "");
  names(message([](auto& w) { w.embedding = Matrix(2, 2); }), "embedding");
  names(message([](auto& w) { w.positions = Matrix(2, 2); }), "positions");
  names(message([](auto& w) { w.layers.pop_back(); }), "layers");
  names(message([](auto& w) { w.layers[1].attention = MlaWeights{}; }), "layer 1");
  names(message([](auto& w) { w.layers[0].attention_norm.gain.pop_back(); }), "attention_norm");
  names(message([](auto& w) { w.layers[0].feed_forward_norm.shift.clear(); }), "feed_forward_norm");
  names(message([](auto& w) { w.layers[0].feed_forward.up = Matrix(1, 1); }), "feed_forward.up");
  names(message([](auto& w) { w.vocabulary = Matrix(); }), "vocabulary");
  names(message([](auto& w) { w.vocabulary_bias.clear(); }), "vocabulary_bias");
  names(message([](auto& w) { std::get<ProjectedWeights>(w.layers[2].attention).wo = Matrix(1, 1); }), "wo");
}

}  // namespace
}  // namespace lacuna
