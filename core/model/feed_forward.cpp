#include "core/model/feed_forward.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

/// To each token's part of y [tokens, bias.size()].
void add(std::span<const double> bias, std::span<double> y) {
  for (; !bias.empty() && !y.empty(); y = y.subspan(bias.size()))
    for (std::size_t c = 0; c < bias.size(); ++c) y[c] += bias[c];
}

}  // namespace

FeedForwardWeights FeedForwardWeights::random(const FeedForwardConfig& config, Index d_model, std::uint64_t seed) {
  const auto matrix = [&](Index rows, Index columns, std::string_view purpose) {
    return Matrix::random(rows, columns, 1 / std::sqrt(static_cast<double>(columns)), {seed, purpose});
  };
  FeedForwardWeights weights;
  if (config.kind == FeedForwardKind::swiglu) weights.gate = matrix(config.width, d_model, "feed_forward.gate");
  weights.up = matrix(config.width, d_model, "feed_forward.up");
  weights.down = matrix(d_model, config.width, "feed_forward.down");
  if (!config.bias) return weights;
  const CounterRng up(seed, "feed_forward.up_bias"), down(seed, "feed_forward.down_bias");
  for (Index c = 0; c < config.width; ++c) weights.up_bias.push_back(0.02 * up.normal(c));
  for (Index c = 0; c < d_model; ++c) weights.down_bias.push_back(0.02 * down.normal(c));
  return weights;
}

void FeedForwardWeights::check(const FeedForwardConfig& config, Index d_model) const {
  const bool gated = config.kind == FeedForwardKind::swiglu;
  require_shape("feed_forward.gate", gate, gated ? config.width : 0, gated ? d_model : 0);
  require_shape("feed_forward.up", up, config.width, d_model);
  require_shape("feed_forward.down", down, d_model, config.width);
  require_size("feed_forward.up_bias", up_bias, config.bias ? config.width : 0);
  require_size("feed_forward.down_bias", down_bias, config.bias ? d_model : 0);
}

double gelu(double z) { return z * (1 + std::erf(z / std::numbers::sqrt2)) / 2; }

double gelu_tanh(double z) {
  return z * (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (z + 0.044715 * z * z * z))) / 2;
}

double swish(double z) { return z / (1 + std::exp(-z)); }

std::vector<double> feed_forward(const FeedForwardConfig& config, const FeedForwardWeights& weights,
                                 std::span<const double> x) {
  std::vector<double> hidden = weights.up * x;
  add(weights.up_bias, hidden);
  switch (config.kind) {
    case FeedForwardKind::relu:
      for (double& z : hidden) z = std::max(z, 0.0);
      break;
    case FeedForwardKind::gelu:
      for (double& z : hidden) z = gelu(z);
      break;
    case FeedForwardKind::gelu_tanh:
      for (double& z : hidden) z = gelu_tanh(z);
      break;
    case FeedForwardKind::swiglu: {
      const std::vector<double> gate = weights.gate * x;
      for (std::size_t c = 0; c < hidden.size(); ++c) hidden[c] *= swish(gate[c]);
      break;
    }
  }
  std::vector<double> y = weights.down * hidden;
  add(weights.down_bias, y);
  return y;
}

}  // namespace lacuna
