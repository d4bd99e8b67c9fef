#include "core/mechanism/retention.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/mechanism/retention_forms.hpp"
#include "support/random.hpp"

namespace lacuna {
namespace {

using testing_core::Random;

/// Tokens of one head that own their numbers.
struct OwnedTokens {
  Index d_qk = 0;
  Index d_v = 0;
  std::vector<double> q, k, v, log_decay;

  RetentionTokens view() const { return {d_qk, d_v, q, k, v, log_decay}; }
};

OwnedTokens random_tokens(Index n, Index d_qk, Index d_v, double strongest_decay, Random& random) {
  const auto normal = [&](Index count) {
    std::vector<double> numbers(count);
    for (double& c : numbers) c = random.normal();
    return numbers;
  };
  OwnedTokens tokens{d_qk, d_v, normal(n * d_qk), normal(n * d_qk), normal(n * d_v), std::vector<double>(n)};
  for (double& g : tokens.log_decay) g = -strongest_decay * random.uniform();
  return tokens;
}

/// The largest |a - b| as a part of 1 + |b|; NaN and other lengths count as infinite.
double largest_error(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]) / (1 + std::abs(b[i]));
    if (!(error <= largest)) largest = std::isnan(error) ? INFINITY : error;
  }
  return largest;
}

TEST(RetentionForms, OfTwoTokensByHand) {
  // d_qk = 1, d_v = 2; the second token halves the state: S_1 = 3 (1, 2), S_2 = (1.5, 3) + 2 (5, 7) = (11.5, 17).
  const std::vector<double> q = {2, 10}, k = {3, 2}, v = {1, 2, 5, 7}, log_decay = {-4, std::log(0.5)};
  const RetentionTokens tokens{1, 2, q, k, v, log_decay};
  const std::vector<double> o = {6, 12, 115, 170};
  std::vector<double> state(2, 0.0);
  EXPECT_LT(largest_error(retention_recurrent(tokens, state), o), 1e-15);
  EXPECT_LT(largest_error(state, {11.5, 17}), 1e-15);
  EXPECT_LT(largest_error(retention_parallel(tokens), o), 1e-15);
  for (const Index chunk : {1, 2, 3}) {
    std::vector<double> carried(2, 0.0);
    EXPECT_LT(largest_error(retention_chunked(tokens, chunk, carried), o), 1e-15);
    EXPECT_LT(largest_error(carried, {11.5, 17}), 1e-15);
  }
}

TEST(RetentionForms, AreEqual) {
  Random random(31);
  for (const Index n : {0, 1, 2, 3, 5, 7, 10, 27, 61, 113}) {
    for (const double decay : {0.0, 0.05, 1.0, 40.0}) {  // 40: e^-G of the whole sequence would overflow
      const Index d_qk = random.integer(1, 9);
      const OwnedTokens tokens = random_tokens(n, d_qk, random.integer(1, 9), decay, random);
      std::vector<double> state(tokens.d_qk * tokens.d_v, 0.0);
      const std::vector<double> o = retention_recurrent(tokens.view(), state);
      EXPECT_LT(largest_error(retention_parallel(tokens.view()), o), 1e-12);
      for (const Index chunk : {1, 2, 3, 8, 61, 256}) {
        std::vector<double> carried(state.size(), 0.0);
        EXPECT_LT(largest_error(retention_chunked(tokens.view(), chunk, carried), o), 1e-12) << n << " by " << chunk;
        EXPECT_LT(largest_error(carried, state), 1e-12) << n << " by " << chunk;
      }
    }
  }
}

TEST(RetentionForms, GoOnFromAState) {
  Random random(32);
  const OwnedTokens tokens = random_tokens(50, 5, 3, 0.3, random);
  std::vector<double> state(15, 0.0), carried(15, 0.0);
  const std::vector<double> o = retention_recurrent(tokens.view(), state);
  const auto part = [&](Index begin, Index count) {
    const RetentionTokens all = tokens.view();
    return RetentionTokens{5,
                           3,
                           all.q.subspan(begin * 5, count * 5),
                           all.k.subspan(begin * 5, count * 5),
                           all.v.subspan(begin * 3, count * 3),
                           all.log_decay.subspan(begin, count)};
  };
  std::vector<double> in_parts = retention_chunked(part(0, 17), 4, carried);
  for (const double c : retention_recurrent(part(17, 20), carried)) in_parts.push_back(c);
  for (const double c : retention_chunked(part(37, 13), 5, carried)) in_parts.push_back(c);
  EXPECT_LT(largest_error(in_parts, o), 1e-12);
}

const RetentionConfig kConfig{.d_model = 12,
                              .heads = 3,
                              .d_qk = 6,
                              .d_v = 5,
                              .rope = RopeParameters{.channels = 4, .spacing = RopeSpacing::endpoint_inclusive}};

TEST(Retention, KeepsAStateOfOneSize) {
  const Retention layer(kConfig, RetentionWeights::random(kConfig, 33));
  RetentionState state = layer.start();
  const std::size_t size = state.s.size();
  EXPECT_EQ(size, 3U * 6 * 5);
  Random random(34);
  for (Index t = 0; t < 40; ++t) {
    std::vector<double> x(12);
    for (double& c : x) c = random.normal();
    EXPECT_EQ(layer.append(x, state).size(), 12U);
    EXPECT_EQ(state.tokens, t + 1);
    EXPECT_EQ(state.s.size(), size);
  }
}

TEST(Retention, ForgetsNothingWhenItsGateIsOpenAndAllWhenItIsShut) {
  // x_0 = 1 drives the decay: a gate logit of +800 keeps the state as it is, one of -800 * 16 multiplies it by e^-800.
  const auto state_after = [](double logit) {
    RetentionWeights weights = RetentionWeights::random(kConfig, 35);
    weights.wdecay = Matrix(3, 12);
    for (Index h = 0; h < 3; ++h) weights.wdecay.row(h)[0] = logit;
    weights.wk = Matrix(18, 12);  // keys of x_1 alone: the second token, with x_1 = 0, adds nothing
    for (Index c = 0; c < 18; ++c) weights.wk.row(c)[1] = 1;
    const Retention layer(kConfig, weights);
    RetentionState state = layer.start();
    std::vector<double> x(12, 1.0);
    layer.append(x, state);
    const std::vector<double> first = state.s;
    x[1] = 0;
    layer.append(x, state);
    return std::pair(first, state.s);
  };
  const auto [open_first, open_second] = state_after(800);
  EXPECT_EQ(open_first, open_second);
  const auto [shut_first, shut_second] = state_after(-800 * 16);
  for (std::size_t i = 0; i < shut_first.size(); ++i) {
    EXPECT_NE(shut_first[i], 0);
    EXPECT_EQ(shut_second[i], 0);
  }
}

TEST(Retention, ChecksNameTheField) {
  const auto message = [](auto&& change) {
    RetentionConfig config = kConfig;
    change(config);
    try {
      config.check();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_NE(message([](auto& c) { c.heads = 0; }).find("heads"), std::string::npos);
  EXPECT_NE(message([](auto& c) { c.d_v = 0; }).find("d_v"), std::string::npos);
  EXPECT_NE(message([](auto& c) { c.gate_divisor = 0; }).find("gate_divisor"), std::string::npos);
  EXPECT_NE(message([](auto& c) { c.eps = -1; }).find("eps"), std::string::npos);
  EXPECT_NE(message([](auto& c) { c.rope->channels = 8; }).find("rope channels"), std::string::npos);
  RetentionWeights weights = RetentionWeights::random(kConfig, 36);
  weights.wgate = Matrix(3, 12);
  EXPECT_THROW(Retention(kConfig, weights), InputError);
}

}  // namespace
}  // namespace lacuna
