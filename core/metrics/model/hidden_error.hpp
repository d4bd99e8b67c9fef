// How far a hidden state h~ of an approximate run lies from the exact run's h, of the same token and layer.
//
// The cosine of the angle, with u = h / ||h|| and u~ = h~ / ||h~|| (Kahan: How futile are mindless assessments of
// roundoff in floating-point computation?, 2006, takes the angle from the same two norms),
//
//   cos = (||u + u~||^2 - ||u - u~||^2) / (||u + u~||^2 + ||u - u~||^2) ,                                          (1)
//
// whose rounded value lies in [-1, 1] since the rounded difference of two numbers >= 0 is not above their rounded sum,
// and is exactly 1 for equal states.
#pragma once

#include <span>

namespace lacuna {

struct HiddenError {
  double norm = 0;      ///< ||h~ - h||
  double relative = 0;  ///< over ||h||
  double cosine = 1;    ///< (1)
  bool is_zero = true;  ///< h~ = h, number for number
};

/// h, h_approx [d_model]; NaN in relative and cosine where a norm is 0.
HiddenError hidden_error(std::span<const double> h, std::span<const double> h_approx);

/// ||h||
double hidden_norm(std::span<const double> h);

}  // namespace lacuna
