#include "core/mechanism/compressor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/mechanism/norm.hpp"
#include "core/mechanism/require.hpp"

namespace lacuna {

void CompressorConfig::check() const {
  require_positive({{"d_model", d_model}, {"width", width}, {"ratio", ratio}});
  if (!(eps >= 0)) throw UsageError(fmt::format("eps is {}; it must not be negative", eps));
}

CompressorWeights CompressorWeights::random(const CompressorConfig& config, double gate_std, std::uint64_t seed,
                                            std::string_view owner) {
  const double std = 1 / std::sqrt(static_cast<double>(config.d_model));
  const auto rng = [&](std::string_view name) { return CounterRng(seed, std::string(owner).append(name)); };
  CompressorWeights weights;
  weights.kv = Matrix::random(config.slot_width(), config.d_model, std, rng(".kv"));
  if (config.pooling == Pooling::gated)
    weights.gate = Matrix::random(config.slot_width(), config.d_model, gate_std * std, rng(".gate"));
  if (config.uses_position_bias())
    weights.ape = Matrix::random(config.ratio, config.slot_width(), gate_std, rng(".ape"));
  weights.gamma.assign(config.width, 1.0);
  return weights;
}

Compressor::Compressor(const CompressorConfig& config, CompressorWeights weights)
    : config_(config), weights_(std::move(weights)) {
  config.check();
  require_shape("compressor.kv", weights_.kv, config.slot_width(), config.d_model);
  if (config.pooling == Pooling::gated)
    require_shape("compressor.gate", weights_.gate, config.slot_width(), config.d_model);
  if (config.uses_position_bias()) require_shape("compressor.ape", weights_.ape, config.ratio, config.slot_width());
  require_size("compressor.gamma", weights_.gamma, config.width);
}

CompressorState Compressor::start() const {
  const std::size_t before = config_.overlap ? config_.ratio * config_.slot_width() : 0;
  return {.values = std::vector<double>(before, 0.0),
          .logits = std::vector<double>(before, -std::numeric_limits<double>::infinity())};
}

CompressorInput Compressor::project(std::span<const double> x) const {
  CompressorInput input{.values = weights_.kv * x, .logits = {}};
  if (config_.pooling == Pooling::gated)
    input.logits = weights_.gate * x;
  else
    input.logits.assign(input.values.size(), 0.0);
  return input;
}

std::optional<std::vector<double>> Compressor::push(const CompressorInput& input, Index token,
                                                    CompressorState& state) const {
  take(input, token, state);
  const Index group = config_.ratio * config_.slot_width();
  if (static_cast<Index>(state.values.size()) < (config_.overlap ? 2 * group : group)) return std::nullopt;
  std::vector<double> latent = pool(state);
  rms_norm(latent, weights_.gamma, config_.eps);
  // The oldest group goes: without overlap the one just pooled, with overlap the one before it.
  state.values.erase(state.values.begin(), state.values.begin() + group);
  state.logits.erase(state.logits.begin(), state.logits.begin() + group);
  return latent;
}

/// Equation (1).
void Compressor::take(const CompressorInput& input, Index token, CompressorState& state) const {
  const Index width = config_.slot_width();
  const auto value = std::span(input.values).subspan(token * width, width);
  const auto logit = std::span(input.logits).subspan(token * width, width);
  const Index slot = static_cast<Index>(state.values.size()) / width % config_.ratio;
  state.values.insert(state.values.end(), value.begin(), value.end());
  state.logits.insert(state.logits.end(), logit.begin(), logit.end());
  if (!config_.uses_position_bias()) return;
  const std::span<double> taken = std::span(state.logits).last(width);
  const std::span<const double> bias = weights_.ape.row(slot);
  for (std::size_t c = 0; c < taken.size(); ++c) taken[c] += bias[c];
}

/// Equations (2) and (3).
std::vector<double> Compressor::pool(const CompressorState& state) const {
  const Index slots = static_cast<Index>(state.values.size()) / config_.slot_width();
  std::vector<double> entry(config_.width);
  for (Index c = 0; c < config_.width; ++c) {
    const auto place = [&](Index slot) {
      const Index half = config_.overlap && slot >= config_.ratio ? config_.width : 0;
      return slot * config_.slot_width() + half + c;
    };
    double largest = -std::numeric_limits<double>::infinity();
    for (Index slot = 0; slot < slots; ++slot) largest = std::max(largest, state.logits[place(slot)]);
    double denominator = 0;
    double numerator = 0;
    for (Index slot = 0; slot < slots; ++slot) {
      const double weight = std::exp(state.logits[place(slot)] - largest);
      denominator += weight;
      numerator += weight * state.values[place(slot)];
    }
    entry[c] = numerator / denominator;
  }
  return entry;
}

}  // namespace lacuna
