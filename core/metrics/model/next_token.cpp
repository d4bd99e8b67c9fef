#include "core/metrics/model/next_token.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/metrics/expm1_minus.hpp"
#include "core/reference/compensated.hpp"

namespace lacuna {
namespace {

/// log sum e^(z - top), `top` the highest logit.
struct Normaliser {
  double top = 0;
  double log_sum = 0;

  explicit Normaliser(std::span<const double> z) : top(*std::ranges::max_element(z)) {
    CompensatedSum sum;
    for (const double x : z) sum.add(std::exp(x - top));
    log_sum = std::log(sum.value());
  }
  double log_sum_exp() const { return top + log_sum; }
  double loss(double logit) const { return log_sum - (logit - top); }
};

/// from (e^moved - 1 - moved) with from e^moved = to, at least 0; neither overflows.
double divergence_term(double from, double to, double moved) {
  return moved > 1 ? to - from - from * moved : from * expm1_minus(moved);
}

/// Of the highest logit, the lowest index among equals.
Index top_token(std::span<const double> z) { return std::ranges::max_element(z) - z.begin(); }

/// Tokens that stand before this one: a higher logit, or the same and a lower index.
Index rank_of(Index token, std::span<const double> z) {
  Index rank = 0;
  for (Index i = 0; i < static_cast<Index>(z.size()); ++i)
    rank += z[i] > z[token] || (z[i] == z[token] && i < token) ? 1 : 0;
  return rank;
}

}  // namespace

double token_loss(std::span<const double> z, Index next) { return Normaliser(z).loss(z[next]); }

NextTokenError next_token_error(std::span<const double> exact, std::span<const double> approx,
                                std::optional<Index> next) {
  LACUNA_ASSERT(!exact.empty() && exact.size() == approx.size());
  const Normaliser of_exact(exact);
  const Normaliser of_approx(approx);
  const double lse = of_exact.log_sum_exp();
  const double lse_approx = of_approx.log_sum_exp();
  NextTokenError error;
  CompensatedSum kl, kl_back, variation, shannon;
  double highest = approx[0] - exact[0];
  double lowest = highest;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double eta = approx[i] - exact[i];
    highest = std::max(highest, eta);
    lowest = std::min(lowest, eta);
    error.logit_error_max = std::max(error.logit_error_max, std::abs(eta));
    const double log_p = exact[i] - lse;
    const double log_q = approx[i] - lse_approx;
    const double moved = eta - (lse_approx - lse);
    const double p = std::exp(log_p);
    const double q = std::exp(log_q);
    kl.add(divergence_term(p, q, moved));
    kl_back.add(divergence_term(q, p, -moved));
    // with p, q the larger weight times |1 - the smaller ratio|: no overflow of e^L
    variation.add(moved > 0 ? q * -std::expm1(-moved) : p * -std::expm1(moved));
    const double log_m = std::max(log_p, log_q) + std::log1p(std::exp(-std::abs(moved))) - std::log(2.0);
    const double m = std::exp(log_m);
    shannon.add(divergence_term(p, m, log_m - log_p));
    shannon.add(divergence_term(q, m, log_m - log_q));
  }
  error.kl_exact_approx = kl.value();
  error.kl_approx_exact = kl_back.value();
  error.total_variation = std::min(variation.value() / 2, 1.0);
  error.jensen_shannon = shannon.value() / 2;
  error.logit_oscillation = highest - lowest;
  error.bound_kl = error.logit_oscillation * error.logit_oscillation / 8;
  error.bound_total_variation = std::tanh(error.logit_oscillation / 4);
  const Index top = top_token(exact);
  error.rank_of_exact_top = rank_of(top, approx);
  error.top_1_agrees = error.rank_of_exact_top == 0;
  if (next) {
    error.loss = of_exact.loss(exact[*next]);
    error.loss_approx = of_approx.loss(approx[*next]);
  }
  return error;
}

}  // namespace lacuna
