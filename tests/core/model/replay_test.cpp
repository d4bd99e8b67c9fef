#include "core/model/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/replay_case.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool same_cache(const ModelCache& a, const ModelCache& b) {
  for (std::size_t place = 0; place < a.layers.size(); ++place) {
    const auto* left = std::get_if<LayerCache>(&a.layers[place]);
    const auto* right = std::get_if<LayerCache>(&b.layers[place]);
    if (left == nullptr) continue;
    if (left->tokens != right->tokens || left->k != right->k || left->v != right->v || left->local != right->local ||
        left->local_v != right->local_v || left->index_k != right->index_k || left->first_local != right->first_local ||
        left->main_state.values != right->main_state.values || left->index_state.logits != right->index_state.logits)
      return false;
  }
  return a.tokens == b.tokens;
}

/// Window rows of tokens before `first`, in layers from `place` on, become NaN.
void lose(ModelCache& cache, const Decoder& decoder, Index place, Index first) {
  for (; place < static_cast<Index>(cache.layers.size()); ++place) {
    LayerCache& layer = std::get<LayerCache>(cache.layers[place]);
    const MechanismShape& shape = decoder.mechanism(place)->shape();
    for (std::vector<double>& rows : layer.local) std::fill_n(rows.begin(), first * shape.d_qk, kNan);
    for (std::vector<double>& rows : layer.local_v) std::fill_n(rows.begin(), first * shape.d_v, kNan);
  }
}

bool is_finite(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

std::vector<ModelDescription> models_that_replay(const ReplayVariant& variant) {
  std::vector<ModelDescription> models;
  for (const ModelDescription& model : small_models()) {
    const bool retains = std::ranges::any_of(model.layers, [](const LayerDescription& layer) {
      return std::holds_alternative<RetentionConfig>(layer.attention);
    });
    if (!retains || !variant.from_hit) models.push_back(model);
  }
  return models;
}

TEST(ExactRun, IsTheDecoderTokenByToken) {
  for (const ModelDescription& model : small_models()) {
    const ReplayCase c(model, 21, 3);
    ModelCache cache = c.decoder.start();
    const std::vector<double> hidden = c.decoder.append(c.tokens, cache);
    for (Index t = 0; t < c.n(); ++t)
      EXPECT_TRUE(
          std::ranges::equal(c.exact.states.back()[t], std::span(hidden).subspan(t * model.d_model, model.d_model)))
          << model.name;
    EXPECT_TRUE(same_cache(c.exact.cache, cache)) << model.name;
    EXPECT_EQ(c.exact.layer_tokens, std::vector<Index>(model.layers.size(), 21));
  }
}

TEST(Replay, TheLastTokenIsExactFromLayersTimesWindowLessOnePlusOneTokensOn) {
  for (Index layers = 1; layers <= 6; ++layers)
    for (Index window = 2; window <= 9; ++window) {
      const Index enough = layers * (window - 1) + 1;
      const ReplayCase c(window_stack(layers, window), enough + 4, 100 * layers + window, 0.5);
      EXPECT_TRUE(c.is_exact(c.run(c.plan("decoder_first", enough)), layers - 1, c.n() - 1)) << layers << window;
      EXPECT_FALSE(c.is_exact(c.run(c.plan("decoder_first", enough - 1)), layers - 1, c.n() - 1)) << layers << window;
      // the first layer's window whole: one layer less
      const Index fewer = (layers - 1) * (window - 1) + 1;
      EXPECT_TRUE(c.is_exact(c.run(c.plan("decoder_after_first", fewer)), layers - 1, c.n() - 1)) << layers << window;
      if (fewer == 1) continue;
      EXPECT_FALSE(c.is_exact(c.run(c.plan("decoder_after_first", fewer - 1)), layers - 1, c.n() - 1))
          << layers << window;
    }
}

TEST(Replay, AStateIsExactFromItsLayersReachOn) {
  for (Index window = 2; window <= 5; ++window) {
    const ReplayCase c(window_stack(4, window), 30, 40 + window, 0.5);
    for (const bool whole : {false, true}) {
      const ReplayPlan plan = c.plan(whole ? "decoder_after_first" : "decoder_first", 22);
      const Replay replay = c.run(plan);
      const std::vector<Index> exact_from = plan.exact_from(c.model());
      for (Index place = 0; place < 4; ++place)
        for (Index t = 0; t < 22; ++t) {
          const Index reach = (place + (whole ? 0 : 1)) * (window - 1);
          EXPECT_EQ(c.is_exact(replay, place, 8 + t), t >= reach) << whole << ' ' << window << ' ' << place << ' ' << t;
          EXPECT_EQ(8 + t >= exact_from[place], t >= reach);
        }
    }
  }
}

// Bits: where the plan promises an exact state there is one, in models with rows over the prefix too.
TEST(ReplayContract, StatesAreExactWhereThePlanSays) {
  Random random(5);
  Index promised = 0, others = 0;
  for (const ReplayVariant& variant : replay_variants())
    for (const ModelDescription& model : models_that_replay(variant))
      for (int trial = 0; trial < 3; ++trial) {
        const ReplayCase c(model, 60, random.word(), 0.5);
        const ReplayPlan plan = c.plan(variant.name.c_str(), random.integer(1, 60), random.integer(1, 60));
        const Replay replay = c.run(plan);
        const std::vector<Index> exact_from = plan.exact_from(model);
        for (std::size_t place = 0; place < model.layers.size(); ++place)
          for (Index t = plan.layers[place].first_run; t < c.n(); ++t) {
            (t >= exact_from[place] ? promised : others) += 1;
            EXPECT_TRUE(t < exact_from[place] || c.is_exact(replay, place, t)) << variant.name << model.name << t;
          }
      }
  EXPECT_GT(promised, 1000);
  EXPECT_GT(others, 1000);
}

TEST(ReplayContract, OfAllTokensIsTheExactRunAndLeavesItsCache) {
  for (const ReplayVariant& variant : replay_variants())
    for (const ModelDescription& model : models_that_replay(variant)) {
      const ReplayCase c(model, 27, 9);
      for (const Index length : {27, 40})
        for (const Index hit : {1, 8, 27}) {
          const Replay replay = c.run(c.plan(variant.name.c_str(), length, hit));
          EXPECT_EQ(replay.states.back(), c.exact.states.back()) << variant.name << model.name;
          EXPECT_TRUE(same_cache(replay.cache, c.exact.cache)) << variant.name << model.name;
        }
    }
}

TEST(ReplayContract, LeavesTheRowsOverThePrefixAsTheyAre) {
  Random random(6);
  for (const ReplayVariant& variant : replay_variants())
    for (const ModelDescription& model : models_that_replay(variant)) {
      const ReplayCase c(model, 33, random.word());
      const Index hit = random.integer(1, 33);
      const ReplayPlan plan = c.plan(variant.name.c_str(), random.integer(1, 12), hit);
      const Replay replay = c.run(plan);
      EXPECT_TRUE(same_global_rows(replay.cache, c.exact.cache, plan.kept)) << variant.name << model.name;
    }
}

TEST(SameGlobalRows, SeesOneBit) {
  for (const ModelDescription& model : {v41_small(32), small_model("llama_7b", 3), small_mla("v32")}) {
    const ReplayCase c(model, 12, 7);
    ModelCache other = c.exact.cache;
    LayerCache& layer = std::get<LayerCache>(other.layers[2]);
    EXPECT_TRUE(same_global_rows(c.exact.cache, other, 12));
    const Index width = static_cast<Index>(layer.k[0].size()) / layer.rows();
    double& last = layer.k[0][(layer.rows() - 1) * width];
    last = std::nextafter(last, 100);
    EXPECT_FALSE(same_global_rows(c.exact.cache, other, 12));
    EXPECT_TRUE(same_global_rows(c.exact.cache, other, layer.key_position.back()));  // the row ends there
    other = c.exact.cache;
    std::get<LayerCache>(other.layers[2]).key_position.pop_back();
    EXPECT_FALSE(same_global_rows(c.exact.cache, other, 12));
  }
  const ReplayCase indexed(v41_small(32), 12, 8);
  ModelCache other = indexed.exact.cache;
  std::get<LayerCache>(other.layers[8]).index_k.back() += 1e-9;
  EXPECT_FALSE(same_global_rows(indexed.exact.cache, other, 12));
}

/// h = (K, x, u, y) with a constant K so large that the norm divides by it alone; layer 0 attends x into u, layer 1 u
/// into y, both uniformly (q = 0) in windows of 2; feed-forwards give 0.
Decoder two_uniform_layers(const std::vector<double>& x) {
  constexpr double kConstant = 0x1p28;
  const Index d_model = 4;
  ModelDescription model{.vocabulary = static_cast<Index>(x.size()), .d_model = d_model, .eps = 0};
  ModelWeights weights;
  weights.embedding = Matrix(model.vocabulary, d_model);
  for (Index i = 0; i < model.vocabulary; ++i) {
    weights.embedding.row(i)[0] = kConstant;
    weights.embedding.row(i)[1] = x[i];
  }
  const std::vector<double> gain(d_model, kConstant / 2);  // the RMS is K / sqrt(4)
  for (Index place = 0; place < 2; ++place) {
    const ProjectedConfig config{.d_model = d_model, .h_q = 1, .h_kv = 1, .d_qk = 1, .d_v = 1, .local_window = 2};
    model.layers.push_back({.label = place, .attention = config, .feed_forward = {.width = 1}});
    Matrix wv(1, d_model), wo(d_model, 1);
    wv.row(0)[1 + place] = 1;
    wo.row(2 + place)[0] = 1;
    weights.layers.push_back(
        {.attention_norm = {.gain = gain, .shift = {}},
         .attention = ProjectedWeights{.wq = Matrix(1, d_model), .wk = Matrix(1, d_model), .wv = wv, .wo = wo},
         .feed_forward_norm = {.gain = gain, .shift = {}},
         .feed_forward = {.gate = Matrix(1, d_model),
                          .up = Matrix(1, d_model),
                          .down = Matrix(d_model, 1),
                          .up_bias = {},
                          .down_bias = {}}});
  }
  weights.final_norm = {.gain = gain, .shift = {}};
  weights.vocabulary = Matrix(model.vocabulary, d_model);
  return Decoder(model, weights);
}

TEST(Replay, OfTwoUniformLayersAveragesWhatItSees) {
  const std::vector<double> x = {8, -4, 16, 2, 32, -8};
  const Decoder decoder = two_uniform_layers(x);
  const std::vector<Index> tokens = {0, 1, 2, 3, 4, 5};
  const ExactRun exact = exact_run(decoder, tokens);
  for (Index i = 2; i < 6; ++i) EXPECT_NEAR(exact.states[2][i][3], (x[i] + 2 * x[i - 1] + x[i - 2]) / 4, 1e-11);

  const auto y_from = [&](const char* variant, Index s) {
    const ReplayPlan plan =
        ReplayPlan::of(decoder.model(), replay_variant(variant), {.tokens = 6, .length = 6 - s, .hit = 1});
    const Replay run = replay(decoder, plan, exact.cache, {exact.states[0].begin() + s, exact.states[0].end()});
    std::vector<double> y;
    for (const std::vector<double>& h : run.states[1]) y.push_back(h[3]);
    return y;
  };
  const std::vector<double> y = y_from("decoder_first", 2);
  EXPECT_NEAR(y[0], x[2], 1e-11);                          // itself, in both layers
  EXPECT_NEAR(y[1], (x[3] + 3 * x[2]) / 4, 1e-11);         // u_2 = x_2, u_3 = (x_3 + x_2) / 2
  EXPECT_NEAR(y[2], (x[4] + 2 * x[3] + x[2]) / 4, 1e-11);  // as the exact run
  const std::vector<double> whole = y_from("decoder_after_first", 2);
  EXPECT_NEAR(whole[0], (x[2] + x[1]) / 2, 1e-11);  // u_2 is exact, u_1 absent
  EXPECT_NEAR(whole[1], (x[3] + 2 * x[2] + x[1]) / 4, 1e-11);
}

// What a replay writes stands at absolute positions: of exact inputs it makes the bits that were lost.
TEST(Replay, WritesWindowRowsAtAbsolutePositions) {
  const ReplayCase c(v41_small(32), 40, 23);
  const Replay replay = c.run(c.plan("decoder_first", 11));
  const LayerCache& renewed = std::get<LayerCache>(replay.cache.layers[8]);
  const LayerCache& exact = std::get<LayerCache>(c.exact.cache.layers[8]);
  const Index width = c.decoder.mechanism(8)->shape().d_qk;
  EXPECT_TRUE(std::equal(renewed.local[0].begin() + 29 * width, renewed.local[0].end(),
                         exact.local[0].begin() + 29 * width, exact.local[0].end()));
  EXPECT_TRUE(std::isnan(renewed.local[0][29 * width - 1]));
}

TEST(Replay, ReadsNoWindowRowThatIsLost) {
  for (const ModelDescription& model : {v41_small(32), window_stack(3, 4)})
    for (const ReplayVariant& variant : replay_variants()) {
      SCOPED_TRACE(model.name + variant.name);
      const ReplayCase c(model, 30, 31);
      const ReplayPlan plan = c.plan(variant.name.c_str(), 6, 20);
      ModelCache cache = plan.kept == c.n() ? c.exact.cache : c.cache_behind(plan.kept);
      const Index first = plan.first_place();
      lose(cache, c.decoder, first + (variant.keeps_first_window ? 1 : 0), plan.kept);  // every row, not those before s
      const Replay poisoned = replay(c.decoder, plan, cache, c.entering(plan));
      const Replay expected = c.run(plan);
      EXPECT_EQ(poisoned.states, expected.states);
      for (const TokenStates& states : poisoned.states)
        for (const std::vector<double>& h : states) EXPECT_TRUE(is_finite(h));
    }
}

TEST(Replay, TheWindowStaysShorterUntilItHasMovedPastTheStart) {
  const Index window = 6;
  const ReplayCase c(window_stack(2, window), 20, 37);
  const Replay run = c.run(c.plan("decoder_first", 3));  // from position 17 on
  Random random(1);
  const std::vector<Index> next = random_tokens(c.model(), 8, random);
  ModelCache cache = run.cache;
  for (Index step = 0; step < 8; ++step) {
    const std::span<const Index> token = std::span(next).subspan(step, 1);
    ModelCache forgetful = cache;  // of where the rows begin
    for (LayerState& layer : forgetful.layers) std::get<LayerCache>(layer).first_local = 0;
    const std::vector<double> h = c.decoder.append(token, cache);
    EXPECT_TRUE(is_finite(h));
    const std::vector<double> h_forgetful = c.decoder.append(token, forgetful);
    if (20 + step - window + 1 >= 17) {
      EXPECT_EQ(h_forgetful, h);
    } else {
      EXPECT_FALSE(is_finite(h_forgetful));
    }
  }
}

// Rows of windows alone: a replay before the hit and the suffix behind it are one replay from the same start.
TEST(Replay, FromAHitInAStackOfWindowsIsALongerReplay) {
  Random random(41);
  for (int trial = 0; trial < 20; ++trial) {
    const Index n = random.integer(2, 30), hit = random.integer(1, n), length = random.integer(1, n);
    const ReplayCase c(window_stack(3, random.integer(2, 6)), n, random.word());
    const Replay from_hit = c.run(c.plan("prefix_hit", length, hit));
    const Replay longer = c.run(c.plan("decoder_first", n - hit + std::min(length, hit)));
    EXPECT_EQ(from_hit.states, longer.states);
    EXPECT_EQ(from_hit.layer_tokens, longer.layer_tokens);
  }
}

TEST(Replay, FromAHitDependsOnTheHit) {
  const ReplayCase c(v41_small(32), 40, 43);
  std::vector<std::vector<double>> last;
  for (const Index hit : {8, 15, 16, 25, 39, 40}) {
    const Replay run = c.run(c.plan("prefix_hit", 5, hit));
    EXPECT_NE(run.states.back().back(), c.exact.states.back().back());
    for (const std::vector<double>& other : last) EXPECT_NE(run.states.back().back(), other);
    last.push_back(run.states.back().back());
  }
}

TEST(Replay, RunsTheLayerTokensOfTheFormula) {
  Random random(44);
  for (const ReplayVariant& variant : replay_variants())
    for (const ModelDescription& model : {v41_small(32), window_stack(3, 4), small_yoco(SelfDecoder::sliding_window)})
      for (int trial = 0; trial < 5; ++trial) {
        const ReplayExtents extents{.tokens = 24, .length = random.integer(1, 30), .hit = random.integer(1, 24)};
        const ReplayCase c(model, 24, random.word());
        const ReplayPlan plan = ReplayPlan::of(model, variant, extents);
        Index ran = c.run(plan).layer_tokens;
        for (Index place = 0; place < plan.first_place(); ++place) ran += c.exact.layer_tokens[place];
        EXPECT_EQ(ran, replay_layer_tokens(model, variant, extents)) << variant.name << model.name;
      }
}

TEST(Replay, GivesTheSameBitsInAnyOrderOfTokens) {
  const auto backwards = [](Index count, const std::function<void(Index)>& work) {
    for (Index t = count; t-- > 0;) work(t);
  };
  const ReplayCase c(v41_small(32), 26, 47);
  const ReplayPlan plan = c.plan("prefix_hit", 7, 15);
  const Replay forwards = c.run(plan), reversed = c.run(plan, backwards);
  EXPECT_EQ(forwards.states, reversed.states);
  EXPECT_EQ(exact_run(c.decoder, c.tokens, backwards).states, c.exact.states);
}

}  // namespace
}  // namespace lacuna
