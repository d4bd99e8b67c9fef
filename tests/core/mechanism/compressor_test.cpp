#include "core/mechanism/compressor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "core/attention/problem.hpp"
#include "mechanism/shared_state_definition.hpp"

namespace lacuna::testing_core::shared_state {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Latents of every complete group; x [tokens * d_model].
std::vector<std::vector<double>> compress(const CompressorConfig& config, const CompressorWeights& weights,
                                          std::span<const double> x) {
  const Compressor compressor(config, weights);
  CompressorState state = compressor.start();
  std::vector<std::vector<double>> latents;
  for (; !x.empty(); x = x.subspan(config.d_model))
    if (auto latent = compressor.push(x.first(config.d_model), state)) latents.push_back(*latent);
  return latents;
}

/// A compressor whose tokens are [C ; Z] themselves: W_kv and W_gate select them.
CompressorConfig bare(Index width, Index ratio, bool overlap) {
  return {.d_model = (overlap ? 4 : 2) * width, .width = width, .ratio = ratio, .overlap = overlap, .eps = 0};
}

CompressorWeights bare_weights(const CompressorConfig& config) {
  const Index slot = config.slot_width();
  CompressorWeights weights{Matrix(slot, 2 * slot), Matrix(slot, 2 * slot), Matrix(config.ratio, slot),
                            std::vector<double>(config.width, 1.0)};
  for (Index c = 0; c < slot; ++c) weights.kv.row(c)[c] = weights.gate.row(c)[slot + c] = 1;
  return weights;
}

CompressorConfig random_compressor(Random& random) {
  return {.d_model = random.integer(1, 12),
          .width = random.integer(1, 9),
          .ratio = random.one_of<Index>({1, 2, 3, 4, 5, 8, 16}),
          .overlap = random.chance(0.5),
          .position_bias = random.chance(0.5),
          .pooling = random.chance(0.75) ? Pooling::gated : Pooling::mean,
          .eps = random.one_of<double>({1e-20, 1e-6, 1e-2})};
}

/// For every entry, the tokens whose change changes it.
std::vector<std::set<Index>> dependence(const CompressorConfig& config, Index tokens, std::uint64_t seed) {
  Random random(seed);
  const CompressorWeights weights = CompressorWeights::random(config, 1, seed, "test");
  const std::vector<double> x = hidden_states(tokens, config.d_model, random);
  const auto before = compress(config, weights, x);
  std::vector<std::set<Index>> result(before.size());
  for (Index i = 0; i < tokens; ++i) {
    std::vector<double> changed = x;
    changed[(i + 1) * config.d_model - 1] += 0.5;
    const auto after = compress(config, weights, changed);
    for (std::size_t j = 0; j < before.size(); ++j)
      if (after[j] != before[j]) result[j].insert(i);
  }
  return result;
}

std::set<Index> range(Index first, Index last) {
  std::set<Index> result;
  for (Index i = first; i <= last; ++i) result.insert(i);
  return result;
}

TEST(Compressor, GroupOfTwoWeighsByTheSoftmaxOfItsGates) {
  const CompressorConfig config = bare(2, 2, false);
  CompressorWeights weights = bare_weights(config);
  weights.gamma = {2, 1};
  // Gates ln 1 and ln 3 weigh 1/4 and 3/4: e = (1, 3), whose root mean square is sqrt(5).
  const auto latents = compress(config, weights, std::vector<double>{4, 0, 0, 0, 0, 4, std::log(3), std::log(3)});
  ASSERT_EQ(latents.size(), 1U);
  EXPECT_NEAR(latents[0][0], 2 / std::sqrt(5), 1e-15);
  EXPECT_NEAR(latents[0][1], 3 / std::sqrt(5), 1e-15);
}

TEST(Compressor, SoftmaxIsSeparateInEveryChannel) {
  const CompressorConfig config = bare(2, 2, false);
  // Channel 0 listens to token 0 alone and channel 1 to token 1: e = (3, 4). One weight per token would mix in 100.
  const auto latents = compress(config, bare_weights(config), std::vector<double>{3, 100, 800, 0, 100, 4, 0, 800});
  ASSERT_EQ(latents.size(), 1U);
  EXPECT_NEAR(latents[0][0], 3 / std::sqrt(12.5), 1e-15);
  EXPECT_NEAR(latents[0][1], 4 / std::sqrt(12.5), 1e-15);
}

TEST(Compressor, OverlapReadsTheFirstHalfOfThePreviousGroupAndTheSecondOfItsOwn) {
  const CompressorConfig config = bare(2, 1, true);
  // Tokens [C^a | C^b | Z^a | Z^b]; equal gates: e_1 = (C^a_0 + C^b_1) / 2 = (1, 7).
  const auto latents = compress(config, bare_weights(config),
                                std::vector<double>{2, 4, 1, 1, 0, 0, 0, 0,  //
                                                    5, 5, 0, 10, 0, 0, 0, 0});
  ASSERT_EQ(latents.size(), 2U);
  EXPECT_DOUBLE_EQ(latents[0][0], 1);
  EXPECT_DOUBLE_EQ(latents[0][1], 1);
  EXPECT_NEAR(latents[1][0], 1 / 5.0, 1e-15);
  EXPECT_NEAR(latents[1][1], 7 / 5.0, 1e-15);
  // The other half of the previous group may be NaN.
  const Compressor compressor(config, bare_weights(config));
  CompressorState state = compressor.start();
  compressor.push(std::vector<double>{2, 4, 1, 1, 0, 0, 0, 0}, state);
  state.values[2] = state.values[3] = state.logits[2] = state.logits[3] = not_a_number;
  EXPECT_EQ(compressor.push(std::vector<double>{5, 5, 0, 10, 0, 0, 0, 0}, state), latents[1]);
}

TEST(Compressor, TwelveStatesGiveThreeOverlappingEntries) {
  const CompressorConfig c4a{.d_model = 6, .width = 5, .ratio = 4, .overlap = true, .position_bias = true};
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_EQ(dependence(c4a, 12, seed), (std::vector{range(0, 3), range(0, 7), range(4, 11)}));
}

TEST(Compressor, TwoHundredFiftySixStatesGiveTwoEntriesOf128) {
  const CompressorConfig c128a{.d_model = 4, .width = 3, .ratio = 128, .position_bias = true};
  EXPECT_EQ(dependence(c128a, 256, 1), (std::vector{range(0, 127), range(128, 255)}));
}

TEST(Compressor, GroupBeforeTheFirstWeighsExactlyZero) {
  const CompressorConfig config{.d_model = 6, .width = 5, .ratio = 4, .overlap = true, .position_bias = true};
  Random random(3);
  const std::vector<double> x = hidden_states(4, 6, random);
  const CompressorWeights weights = CompressorWeights::random(config, 1, 3, "test");
  // The same four slots without overlap, from the second halves alone.
  const CompressorConfig alone{.d_model = 6, .width = 5, .ratio = 4, .position_bias = true};
  CompressorWeights second{Matrix(5, 6), Matrix(5, 6), Matrix(4, 5), weights.gamma};
  for (Index c = 0; c < 5; ++c) {
    std::ranges::copy(weights.kv.row(5 + c), second.kv.row(c).begin());
    std::ranges::copy(weights.gate.row(5 + c), second.gate.row(c).begin());
    for (Index slot = 0; slot < 4; ++slot) second.ape.row(slot)[c] = weights.ape.row(slot)[5 + c];
  }
  EXPECT_EQ(compress(config, weights, x), compress(alone, second, x));
  // However small the logits of the tokens themselves are.
  CompressorWeights low = weights;
  CompressorWeights low_second = second;
  for (Index slot = 0; slot < 4; ++slot) {
    for (double& bias : low.ape.row(slot)) bias -= 1e6;
    for (double& bias : low_second.ape.row(slot)) bias -= 1e6;
  }
  EXPECT_EQ(compress(config, low, x), compress(alone, low_second, x));
}

TEST(Compressor, EntriesEqualTheirDefinitionOverTheWholeSequence) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const CompressorConfig config = random_compressor(random);
    CompressorWeights weights = CompressorWeights::random(config, random.uniform(0, 3), random.word(), "test");
    weights.gamma = random_gamma(config.width, random);
    const Index tokens = random.integer(0, 5 * config.ratio);
    const std::vector<double> x = hidden_states(tokens, config.d_model, random);
    std::vector<double> measured;
    for (const auto& latent : compress(config, weights, x))
      measured.insert(measured.end(), latent.begin(), latent.end());
    const double error = largest_error(measured, latents(config, weights, widened(x, config.d_model)));
    ASSERT_LE(error, 1e-13) << "width " << config.width << " ratio " << config.ratio << " tokens " << tokens;
  }
}

TEST(Compressor, ShiftingEveryGateChangesNothing) {
  Random random(5);
  CompressorConfig config = bare(3, 4, true);
  config.position_bias = true;
  std::vector<double> x = hidden_states(16, config.d_model, random);
  for (double& c : x) c = std::round(c * 0x1p20) * 0x1p-20;  // so that adding 10000 is exact
  const auto before = compress(config, bare_weights(config), x);
  for (const double shift : {1e4, -1e4}) {
    CompressorWeights shifted = bare_weights(config);
    for (Index slot = 0; slot < 4; ++slot)
      for (double& bias : shifted.ape.row(slot)) bias = shift;
    EXPECT_EQ(compress(config, shifted, x), before);
  }
}

TEST(Compressor, PositionBiasBelongsToTheSlotInItsOwnGroup) {
  CompressorConfig config = bare(1, 3, true);
  config.position_bias = true;
  CompressorWeights weights = bare_weights(config);
  weights.ape.row(1)[0] = 800;  // half a of slot 1: in the group after it, nothing else counts
  std::vector<double> x;
  for (Index i = 0; i < 6; ++i) x.insert(x.end(), {i == 1 ? -1.0 : 1.0, 1, 0, 0});
  const auto latents = compress(config, weights, x);
  ASSERT_EQ(latents.size(), 2U);
  EXPECT_EQ(latents[0], std::vector<double>{1});
  EXPECT_EQ(latents[1], std::vector<double>{-1});
}

TEST(Compressor, MeanPoolingIsTheMeanOfTheSlotsThatExist) {
  const CompressorConfig config{
      .d_model = 4, .width = 2, .ratio = 2, .overlap = true, .position_bias = true, .pooling = Pooling::mean, .eps = 0};
  // Tokens [C^a | C^b]; a gate and a position bias of NaN are not read.
  CompressorWeights weights{Matrix(4, 4),
                            Matrix(4, 4, std::vector<double>(16, not_a_number)),
                            Matrix(2, 4, std::vector<double>(8, not_a_number)),
                            {1, 1}};
  for (Index c = 0; c < 4; ++c) weights.kv.row(c)[c] = 1;
  const auto latents = compress(config, weights,
                                std::vector<double>{1, 9, 6, 2,  //
                                                    3, 7, 8, 0,  //
                                                    0, 0, 4, 4,  //
                                                    0, 0, 8, 8});
  ASSERT_EQ(latents.size(), 2U);
  EXPECT_NEAR(latents[0][0], 7 / 5.0, 1e-15);  // e = ((6 + 8) / 2, (2 + 0) / 2) = (7, 1), root mean square 5
  EXPECT_NEAR(latents[0][1], 1 / 5.0, 1e-15);
  EXPECT_NEAR(latents[1][0], 4 / std::sqrt(32.5), 1e-15);  // e = ((1 + 3 + 4 + 8) / 4, (9 + 7 + 4 + 8) / 4) = (4, 7)
  EXPECT_NEAR(latents[1][1], 7 / std::sqrt(32.5), 1e-15);
}

TEST(Compressor, GateOfNoSpreadIsTheMean) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    CompressorConfig config = random_compressor(random);
    config.pooling = Pooling::gated;
    const std::uint64_t seed = random.word();
    const std::vector<double> x = hidden_states(3 * config.ratio, config.d_model, random);
    CompressorConfig mean = config;
    mean.pooling = Pooling::mean;
    EXPECT_EQ(compress(config, CompressorWeights::random(config, 0, seed, "test"), x),
              compress(mean, CompressorWeights::random(mean, 1, seed, "test"), x));
  }
}

TEST(Compressor, TokensOfAnIncompleteGroupReachNoEntry) {
  Random random(9);
  for (int round = 0; round < 100; ++round) {
    const CompressorConfig config = random_compressor(random);
    const CompressorWeights weights = CompressorWeights::random(config, 1, random.word(), "test");
    const Index complete = random.integer(0, 4) * config.ratio;
    std::vector<double> x = hidden_states(complete, config.d_model, random);
    const auto entries = compress(config, weights, x);
    ASSERT_EQ(entries.size(), static_cast<std::size_t>(complete / config.ratio));
    x.resize(x.size() + random.integer(0, config.ratio - 1) * config.d_model, not_a_number);
    EXPECT_EQ(compress(config, weights, x), entries);
  }
}

TEST(Compressor, StateHoldsNoMoreThanItsSlots) {
  Random random(10);
  for (int round = 0; round < 50; ++round) {
    const CompressorConfig config = random_compressor(random);
    const Compressor compressor(config, CompressorWeights::random(config, 1, random.word(), "test"));
    CompressorState state = compressor.start();
    for (Index i = 1; i <= 4 * config.ratio; ++i) {
      compressor.push(hidden_states(1, config.d_model, random), state);
      const Index slots = (config.overlap ? config.ratio : 0) + i % config.ratio;
      ASSERT_EQ(static_cast<Index>(state.values.size()), slots * config.slot_width());
      ASSERT_EQ(state.logits.size(), state.values.size());
    }
  }
}

TEST(Compressor, EntryIsVisibleOnceItsLastTokenIs) {
  for (const Index ratio : {1, 2, 4, 128}) {
    const CompressorConfig config{.d_model = 1, .width = 1, .ratio = ratio, .overlap = ratio == 4};
    const Compressor compressor(config, CompressorWeights::random(config, 1, 1, "test"));
    CompressorState state = compressor.start();
    Index entries = 0;
    AttentionProblem problem;
    for (Index j = 0; j < 400; ++j) problem.key_position.push_back(compressor.key_position(j));
    for (Index t = 0; t <= 300; ++t) {
      if (compressor.push(std::vector<double>{1}, state)) {
        EXPECT_EQ(compressor.key_position(entries), t);
        EXPECT_EQ(compressor.rope_position(entries), t + 1 - ratio);
        ++entries;
      }
      EXPECT_EQ(problem.visible_keys(t), entries) << "ratio " << ratio << " position " << t;
      EXPECT_EQ(entries, (t + 1) / ratio);
    }
  }
}

TEST(Compressor, PoolingDoesNotChangeTheValueWeights) {
  CompressorConfig config{.d_model = 5, .width = 3, .ratio = 4, .overlap = true, .position_bias = true};
  const CompressorWeights gated = CompressorWeights::random(config, 1, 8, "test");
  const CompressorWeights other = CompressorWeights::random(config, 1, 8, "other");
  config.pooling = Pooling::mean;
  const CompressorWeights mean = CompressorWeights::random(config, 1, 8, "test");
  EXPECT_TRUE(std::ranges::equal(gated.kv.row(4), mean.kv.row(4)));
  EXPECT_FALSE(std::ranges::equal(gated.kv.row(4), other.kv.row(4)));
  EXPECT_FALSE(std::ranges::equal(gated.kv.row(4), gated.gate.row(4)));
}

template <class Fault>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "nothing was thrown";
}

TEST(Compressor, InvalidConfigurationNamesTheField) {
  const CompressorConfig valid{.d_model = 4, .width = 3, .ratio = 2};
  const auto fault = [&](auto change) {
    CompressorConfig config = valid;
    change(config);
    return message_of<UsageError>([&] { Compressor(config, CompressorWeights{}); });
  };
  EXPECT_NE(fault([](auto& c) { c.d_model = 0; }).find("d_model is 0"), std::string::npos);
  EXPECT_NE(fault([](auto& c) { c.width = 0; }).find("width is 0"), std::string::npos);
  EXPECT_NE(fault([](auto& c) { c.ratio = 0; }).find("ratio is 0"), std::string::npos);
  EXPECT_NE(fault([](auto& c) { c.eps = -1; }).find("eps is -1"), std::string::npos);
  EXPECT_NE(fault([](auto& c) { c.eps = not_a_number; }).find("eps is nan"), std::string::npos);
}

TEST(Compressor, WeightOfAnotherShapeIsNamed) {
  const CompressorConfig config{.d_model = 4, .width = 3, .ratio = 2, .overlap = true, .position_bias = true};
  const auto fault = [&](auto change) {
    CompressorWeights weights = CompressorWeights::random(config, 1, 1, "test");
    change(weights);
    return message_of<InputError>([&] { Compressor(config, weights); });
  };
  EXPECT_EQ(fault([](auto& w) { w.kv = Matrix(3, 4); }),
            "weight compressor.kv is [3, 4]; the configuration needs [6, 4]");
  EXPECT_NE(fault([](auto& w) { w.gate = Matrix(6, 5); }).find("compressor.gate is [6, 5]"), std::string::npos);
  EXPECT_NE(fault([](auto& w) { w.ape = Matrix(); }).find("compressor.ape is [0, 0]"), std::string::npos);
  EXPECT_NE(fault([](auto& w) { w.gamma = {1}; }).find("compressor.gamma is [1]"), std::string::npos);
}

}  // namespace
}  // namespace lacuna::testing_core::shared_state
