// How far an approximate run's next-token distribution lies from the exact one's, from the two rows of logits z (exact)
// and z~, one position at a time. p and q are their softmaxes, L_i = log q_i - log p_i.
//
//   KL(p || q) = sum p_i (e^{L_i} - 1 - L_i) ,   KL(q || p) = sum q_i (e^{-L_i} - 1 + L_i)                         (1)
//   TV         = 1/2 sum p_i |e^{L_i} - 1|                                                                         (2)
//   JS         = 1/2 KL(p || m) + 1/2 KL(q || m) ,   m = (p + q) / 2                                               (3)
//
// The summands of (1) are never negative and vanish with L, so that equal logits give exactly 0 and small differences
// keep their digits. With eta_i = z~_i - z_i and w = max eta - min eta, whatever the logits are,
//
//   TV <= tanh(w / 4) ,   KL(p || q), KL(q || p) <= w^2 / 8 .                                                      (4)
#pragma once

#include <optional>
#include <span>

#include "core/attention/rows.hpp"

namespace lacuna {

/// -log of the softmax of z [vocabulary] at `next`, nat: every loss of a run, exact or not, so that equal logits have
/// equal losses.
double token_loss(std::span<const double> z, Index next);

struct NextTokenError {
  double kl_exact_approx = 0;  ///< KL(p || q), nat
  double kl_approx_exact = 0;  ///< KL(q || p), nat
  double jensen_shannon = 0;   ///< nat, at most log 2
  double total_variation = 0;
  double logit_oscillation = 0;            ///< w, nat
  double bound_kl = 0;                     ///< (4)
  double bound_total_variation = 0;        ///< (4)
  double logit_error_max = 0;              ///< max |eta_i|
  bool top_1_agrees = true;                ///< the highest logit is of the same token; the lowest index among equals
  Index rank_of_exact_top = 0;             ///< of the exact run's top token in the approximate row; 0: the top
  std::optional<double> loss = {};         ///< -log p of the token that came next, nat
  std::optional<double> loss_approx = {};  ///< -log q of it
};

/// exact, approx [vocabulary], finite; `next` the token that came next, when there is one.
NextTokenError next_token_error(std::span<const double> exact, std::span<const double> approx,
                                std::optional<Index> next = std::nullopt);

}  // namespace lacuna
