// The normalisations of the models, in place, over one vector.
//
//   rms_norm     y_c = gamma_c x_c / sqrt( mean(x^2) + eps )
//   layer_norm   y_c = gamma_c (x_c - mean(x)) / sqrt( mean((x - mean(x))^2) + eps ) + beta_c
//
// RMSNorm: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, equation 4. DeepSeek-V4 normalises each
// query head with no gamma.
#pragma once

#include <span>

namespace lacuna {

/// gamma [x.size()], or empty for ones.
void rms_norm(std::span<double> x, std::span<const double> gamma, double eps);

/// gamma, beta [x.size()], or empty for ones and zeros.
void layer_norm(std::span<double> x, std::span<const double> gamma, std::span<const double> beta, double eps);

}  // namespace lacuna
