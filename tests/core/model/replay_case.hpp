// A decoder with random weights, a sequence, its exact run and replays of it.
#pragma once

#include "core/model/replay.hpp"
#include "model/small_models.hpp"

namespace lacuna::testing_core {

/// Layers of windows and nothing else.
inline ModelDescription window_stack(Index layers, Index window) {
  return scaled(describe_model("mistral_7b"), {.d_model = 16, .vocabulary = 40, .window = window}, layers);
}

/// A decoder, a sequence and its exact run.
struct ReplayCase {
  ReplayCase(const ModelDescription& model, Index tokens_count, std::uint64_t seed, double score_std = 2)
      : weights(
            ModelWeights::random(model, {.score_std = score_std, .index_quality = 0.8, .query_similarity = 0.5}, seed)),
        decoder(model, weights) {
    Random random(seed);
    tokens = random_tokens(model, tokens_count, random);
    exact = exact_run(decoder, tokens);
  }
  Index n() const { return static_cast<Index>(tokens.size()); }
  const ModelDescription& model() const { return decoder.model(); }

  ReplayPlan plan(const char* variant, Index length, Index hit = 1) const {
    return ReplayPlan::of(model(), replay_variant(variant), {.tokens = n(), .length = length, .hit = hit});
  }
  ModelCache cache_behind(Index count) const { return exact_run(decoder, std::span(tokens).first(count)).cache; }
  TokenStates entering(const ReplayPlan& plan) const {
    const Index first = plan.first_place();
    return {exact.states[first].begin() + plan.layers[first].first_run, exact.states[first].end()};
  }
  Replay run(const ReplayPlan& plan, const EachIndex& each_token = in_order) const {
    return replay(decoder, plan, plan.kept == n() ? exact.cache : cache_behind(plan.kept), entering(plan), each_token);
  }
  /// Whether the state of the token behind the layer is the exact one, bit for bit.
  bool is_exact(const Replay& replay, Index place, Index position) const {
    const Index first = n() - static_cast<Index>(replay.states[place].size());
    return replay.states[place][position - first] == exact.states[place + 1][position];
  }

  ModelWeights weights;
  Decoder decoder;
  std::vector<Index> tokens;
  ExactRun exact;
};

}  // namespace lacuna::testing_core
