// What attention over Gaussian keys would omit: the curves of theory to lay beside measurements.
//
// Scores of n keys that are normal with deviation sigma (sm ||q|| per query) make log-normal weights, whose Lorenz
// curve is known (Aitchison, Brown: The Lognormal Distribution, 1957, section 11.2):
//
//   the least share x of the keys holds the mass   L(x) = PHI(PHI^-1(x) - sigma)                                   (1)
//   keeping the top share kappa omits              delta(kappa) = L(1 - kappa)                                     (2)
//   entropy                                        ln n - H = sigma^2 / 2                                          (3)
//   effective keys                                 1 / sum p^2 = n exp(-sigma^2)                                   (4)
//   mass of keys rarer than one in n, which a sample of n does not show: PHI(sigma - PHI^-1(1 - 1/n))              (5)
//
// (3) needs sigma < sqrt(2 ln n): beyond that the sum freezes on a few keys (Derrida: Random-energy model, Physical
// Review B 24, 1981). (4) needs 2 sigma < sqrt(2 ln n): beyond that, the largest weight rules the sum.
#pragma once

namespace lacuna::log_normal_weights {

/// (2): the omitted mass when the top share of the keys, in [0, 1], is kept; sigma >= 0.
double omitted_mass(double kept_share, double sigma);
/// (3), in nat, of n keys; NaN where the law does not hold.
double entropy(double n, double sigma);
/// (4); NaN where the law does not hold.
double effective_keys(double n, double sigma);
/// (5): the part of the law's mass that n keys miss on average.
double missed_mass(double n, double sigma);

}  // namespace lacuna::log_normal_weights
