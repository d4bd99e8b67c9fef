#include <gtest/gtest.h>

#include <algorithm>

#include "model/naive_decoder.hpp"
#include "model/replay_case.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// The states behind the last layer by the naive decoder: all tokens through all layers, those from a layer's first
/// window row on with the shorter window. `stored`: entries of the exact run before that token.
std::vector<double> naive_states(const ReplayCase& c, const ReplayPlan& plan, const std::vector<Index>& tokens,
                                 Index first) {
  std::vector<naive::Made> made;
  naive::hidden_states({c.model(), c.weights}, tokens, &made);
  naive::Departure departure;
  for (const LayerReplay& layer : plan.layers) departure.first_window.push_back(layer.first_window);
  departure.stored = &made;
  departure.stored_tokens = plan.kept;
  std::vector<double> states;
  const naive::RealRows all = naive::hidden_states({c.model(), c.weights, departure}, tokens);
  for (std::size_t t = first; t < all.size(); ++t)
    for (const naive::Real x : all[t]) states.push_back(static_cast<double>(x));
  return states;
}

naive::RealRows as_rows(const std::vector<double>& numbers, Index width) {
  naive::RealRows rows;
  for (std::size_t i = 0; i < numbers.size(); i += width)
    rows.emplace_back(numbers.begin() + i, numbers.begin() + i + width);
  return rows;
}

TEST(ReplayGolden, AgreesWithTheNaiveDecoderAndSoDoTheTokensDecodedBehindIt) {
  for (const ModelDescription& model : {v41_small(32), window_stack(4, 5), small_yoco(SelfDecoder::sliding_window)})
    for (const ReplayVariant& variant : replay_variants())
      for (const auto& [length, hit] : std::vector<std::pair<Index, Index>>{{1, 20}, {5, 20}, {9, 12}, {13, 34}}) {
        SCOPED_TRACE(model.name + " " + variant.name + " " + std::to_string(length));
        ReplayCase c(model, 34, 17 + length);
        const ReplayPlan plan = c.plan(variant.name.c_str(), length, hit);
        Replay run = c.run(plan);
        Random random(length);
        const std::vector<Index> next = random_tokens(model, 11, random);
        std::vector<Index> all = c.tokens;
        all.insert(all.end(), next.begin(), next.end());
        const Index first = plan.layers.back().first_run;
        std::vector<double> measured;
        for (const std::vector<double>& h : run.states.back()) measured.insert(measured.end(), h.begin(), h.end());
        const std::vector<double> decoded = c.decoder.append(next, run.cache);
        measured.insert(measured.end(), decoded.begin(), decoded.end());
        const std::vector<double> expected = naive_states(c, plan, all, first);
        EXPECT_LT(shared_state::largest_error(measured, as_rows(expected, model.d_model)), 1e-10);
        if (length > 5 || variant.from_hit) continue;
        // and the exact run is far from both, but where nothing is lost
        const bool loses = std::ranges::any_of(plan.layers, [&](const LayerReplay& layer) {
          return layer.first_window > 0 && model.layers[&layer - plan.layers.data()].local_window() > 0;
        });
        ModelCache exact = c.exact.cache;
        const std::vector<double> exact_decoded = c.decoder.append(next, exact);
        EXPECT_EQ(shared_state::largest_error(decoded, as_rows(exact_decoded, model.d_model)) > 1e-6, loses);
      }
}

}  // namespace
}  // namespace lacuna
