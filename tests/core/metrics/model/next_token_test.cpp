#include "core/metrics/model/next_token.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "support/wide.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(NextToken, OfEqualLogitsIsExactlyZeroAndShiftsChangeNothing) {
  const std::vector<double> z = {1, -2, 700, 3.5};
  std::vector<double> shifted = z;
  for (double& x : shifted) x += 64;
  for (const std::vector<double>& approx : {z, shifted}) {
    const NextTokenError error = next_token_error(z, approx, 1);
    EXPECT_EQ(error.kl_exact_approx, 0);
    EXPECT_EQ(error.kl_approx_exact, 0);
    EXPECT_EQ(error.total_variation, 0);
    EXPECT_EQ(error.logit_oscillation, 0);
    EXPECT_EQ(error.loss, error.loss_approx);
    EXPECT_TRUE(error.top_1_agrees);
  }
}

TEST(NextToken, TwoTokensByHand) {
  // p = (3/4, 1/4), q = (1/4, 3/4)
  const double log_3 = std::log(3.0);
  const NextTokenError error = next_token_error(std::vector<double>{log_3, 0}, std::vector<double>{0, log_3}, 0);
  EXPECT_NEAR(error.kl_exact_approx, log_3 / 2, 1e-15);
  EXPECT_NEAR(error.kl_approx_exact, log_3 / 2, 1e-15);
  EXPECT_NEAR(error.total_variation, 0.5, 1e-15);
  EXPECT_NEAR(error.jensen_shannon, 0.75 * std::log(1.5) + 0.25 * std::log(0.5), 1e-15);
  EXPECT_NEAR(error.logit_oscillation, 2 * log_3, 1e-15);
  EXPECT_NEAR(*error.loss, std::log(4.0 / 3), 1e-15);
  EXPECT_NEAR(*error.loss_approx, std::log(4.0), 1e-15);
  EXPECT_FALSE(error.top_1_agrees);
  EXPECT_EQ(error.rank_of_exact_top, 1);
  EXPECT_NEAR(error.logit_error_max, log_3, 1e-15);
}

TEST(NextToken, HasOneLossForTheExactAndTheApproximateRun) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(100, 20);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> z(2 + random() % 50), other;
    for (double& x : z) x = normal(random);
    other = z;
    other.back() += 1;
    const Index next = static_cast<Index>(random() % z.size());
    EXPECT_EQ(*next_token_error(z, other, next).loss, token_loss(z, next));
    EXPECT_EQ(*next_token_error(other, z, next).loss_approx, token_loss(z, next));
    long double sum = 0;
    for (const double x : z) sum += std::exp(static_cast<long double>(x) - z[next]);
    EXPECT_NEAR(token_loss(z, next), static_cast<double>(std::log(sum)), 1e-13 * (1 + token_loss(z, next)));
  }
}

TEST(NextToken, TheTopTokenIsTheLowestIndexAmongEquals) {
  EXPECT_TRUE(next_token_error(std::vector<double>{2, 2, 1}, std::vector<double>{5, 5, 5}).top_1_agrees);
  EXPECT_EQ(next_token_error(std::vector<double>{1, 2, 2}, std::vector<double>{5, 5, 5}).rank_of_exact_top, 1);
}

struct WideDivergence {
  Wide kl = 0, kl_back = 0, variation = 0, shannon = 0;
};

/// From the definitions in 113 bits.
WideDivergence wide_divergence(const std::vector<double>& exact, const std::vector<double>& approx) {
  const auto softmax = [](const std::vector<double>& z) {
    WideVector p;
    Wide sum = 0;
    for (const double x : z) sum += p.emplace_back(exp(Wide(x)));
    for (Wide& x : p) x /= sum;
    return p;
  };
  const WideVector p = softmax(exact), q = softmax(approx);
  WideDivergence result;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Wide m = (p[i] + q[i]) / 2;
    result.kl += p[i] * log(p[i] / q[i]);
    result.kl_back += q[i] * log(q[i] / p[i]);
    result.variation += abs(p[i] - q[i]) / 2;
    result.shannon += (p[i] * log(p[i] / m) + q[i] * log(q[i] / m)) / 2;
  }
  return result;
}

TEST(NextTokenBounds, DivergencesAgreeWith113BitsAndStayWithinTheirBounds) {
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const Index n = random.integer(2, 30);
    const double spread = std::exp(random.uniform(-3, 3)), move = std::exp(random.uniform(-20, 2));
    std::vector<double> exact(n), approx(n);
    for (Index i = 0; i < n; ++i) {
      exact[i] = spread * random.normal();
      approx[i] = exact[i] + move * random.normal();
    }
    const NextTokenError error = next_token_error(exact, approx);
    const WideDivergence wide = wide_divergence(exact, approx);
    // logits are rounded at 2^-53 of their size before any difference is taken
    const double noise = 1e-14 * (1 + spread) * (1 + move);
    const auto close = [&](double found, const Wide& expected, double scale) {
      EXPECT_NEAR(found, to_double(expected), 1e-12 * to_double(expected) + scale) << "trial " << trial;
    };
    close(error.kl_exact_approx, wide.kl, noise * (move + noise));
    close(error.kl_approx_exact, wide.kl_back, noise * (move + noise));
    close(error.total_variation, wide.variation, noise);
    close(error.jensen_shannon, wide.shannon, noise * (move + noise));
    EXPECT_LE(error.total_variation, error.bound_total_variation * (1 + 1e-12) + noise);
    EXPECT_LE(error.kl_exact_approx, error.bound_kl * (1 + 1e-12) + noise * (move + noise));
    EXPECT_LE(error.kl_approx_exact, error.bound_kl * (1 + 1e-12) + noise * (move + noise));
  }
}

TEST(NextTokenBounds, TheBoundOnTotalVariationIsAttained) {
  // half the weight rises by w: TV = tanh(w / 4) at log odds -w / 2
  const double w = 1.7;
  const NextTokenError error = next_token_error(std::vector<double>{-w / 2, 0}, std::vector<double>{w / 2, 0});
  EXPECT_NEAR(error.total_variation, error.bound_total_variation, 1e-15);
  EXPECT_NEAR(error.bound_total_variation, std::tanh(w / 4), 1e-15);
}

TEST(NextToken, FarTokensStayFinite) {
  const NextTokenError error = next_token_error(std::vector<double>{0, -2000}, std::vector<double>{-2000, 0}, 0);
  EXPECT_NEAR(error.kl_exact_approx, 2000, 1e-9);
  EXPECT_NEAR(error.total_variation, 1, 1e-15);
  EXPECT_NEAR(error.jensen_shannon, std::log(2.0), 1e-12);
  EXPECT_NEAR(*error.loss_approx, 2000, 1e-9);
}

}  // namespace
}  // namespace lacuna
