// How far a hidden state h~ of an approximate run lies from the exact run's h, of the same token and layer.
#pragma once

#include <span>

namespace lacuna {

struct HiddenError {
  double norm = 0;      ///< ||h~ - h||
  double relative = 0;  ///< over ||h||
  double cosine = 1;    ///< of the angle between h~ and h
  bool is_zero = true;  ///< h~ = h, number for number
};

/// h, h_approx [d_model]; NaN in relative and cosine where a norm is 0.
HiddenError hidden_error(std::span<const double> h, std::span<const double> h_approx);

/// ||h||
double hidden_norm(std::span<const double> h);

}  // namespace lacuna
