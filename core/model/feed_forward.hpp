// The feed-forward of a block, token by token.
//
//   relu        y = W_down phi(W_up x + b_up) + b_down ,   phi(z) = max(0, z)                                   (1)
//   gelu        the same with phi(z) = z (1 + erf(z / sqrt 2)) / 2                                              (2)
//   gelu_tanh   the same with phi(z) = z (1 + tanh( sqrt(2 / pi) (z + 0.044715 z^3) )) / 2                      (3)
//   swiglu      y = W_down ( swish(W_gate x) * W_up x ) ,  swish(z) = z / (1 + e^-z) ,  * elementwise           (4)
//
// (1): Vaswani et al. 2017, equation 2. (2), (3): Hendrycks and Gimpel 2016, section 2; openai/gpt-2 src/model.py uses
// (3). (4): Shazeer 2020, equation 6.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/description.hpp"

namespace lacuna {

struct FeedForwardWeights {
  Matrix gate;                    // [width, d_model]; swiglu only
  Matrix up;                      // [width, d_model]
  Matrix down;                    // [d_model, width]
  std::vector<double> up_bias;    // [width], or empty without bias
  std::vector<double> down_bias;  // [d_model], or empty without bias

  /// Independent N(0, 1 / fan in); biases N(0, 0.02^2).
  static FeedForwardWeights random(const FeedForwardConfig& config, Index d_model, std::uint64_t seed);
  /// InputError naming the weight whose shape is not that of the configuration.
  void check(const FeedForwardConfig& config, Index d_model) const;
};

double gelu(double z);
double gelu_tanh(double z);
double swish(double z);

/// x [tokens, d_model]; returns y [tokens, d_model].
std::vector<double> feed_forward(const FeedForwardConfig& config, const FeedForwardWeights& weights,
                                 std::span<const double> x);

}  // namespace lacuna
