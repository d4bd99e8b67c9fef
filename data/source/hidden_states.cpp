#include "data/source/hidden_states.hpp"

#include <cmath>

#include "data/source/parameter_specs.hpp"

namespace lacuna {
namespace {

CounterRng noise(std::uint64_t seed, std::string_view purpose, Index sequence, Index layer) {
  return {seed, purpose, (static_cast<std::uint64_t>(sequence) << 32) + static_cast<std::uint64_t>(layer)};
}

/// What remains of unit variance beside a part of this deviation.
double beside(double part) { return std::sqrt(std::max(1 - part * part, 0.0)); }

}  // namespace

HiddenStatesConfig HiddenStatesConfig::from(const Parameters& source) {
  return {.d_model = source.integer("d_model"),
          .topic_length = source.real("topic_length"),
          .topic_share = source.real("topic_share"),
          .layer_similarity = source.real("layer_similarity")};
}

std::vector<ParameterSpec> hidden_state_parameters() {
  return {{.key = "d_model",
           .type = ParameterType::integer,
           .unit = "channels",
           .minimum = 2,
           .maximum = 65536,
           .default_value = std::int64_t{128},
           .sentence = "Width of the hidden states."},
          {.key = "topic_length",
           .type = ParameterType::real,
           .unit = "tokens",
           .minimum = 1e-3,
           .maximum = 1e9,
           .default_value = 64.0,
           .sentence = "Tokens over which what neighbouring hidden states have in common decays to 1/e."},
          share("topic_share", 0.5, "Share of a hidden state's variance that neighbouring tokens have in common."),
          share("layer_similarity", 0.9, "Correlation of a token's hidden state with what all layers have in common.")};
}

HiddenStates::HiddenStates(const HiddenStatesConfig& config, std::uint64_t seed, Index sequence, Index layer)
    : config_(config),
      topic_noise_(noise(seed, "hidden_states.topic", sequence, 0)),
      token_noise_(noise(seed, "hidden_states.token", sequence, 0)),
      layer_noise_(noise(seed, "hidden_states.layer", sequence, layer)),
      topic_(config.d_model) {}

void HiddenStates::next(std::span<double> x) {
  const double kept = std::exp(-1 / config_.topic_length);
  const Index d = config_.d_model;
  for (Index c = 0; c < d; ++c) {
    const auto at = static_cast<std::uint64_t>(position_ * d + c);
    topic_[c] = position_ == 0 ? topic_noise_.normal(at) : kept * topic_[c] + beside(kept) * topic_noise_.normal(at);
    const double common =
        std::sqrt(config_.topic_share) * topic_[c] + std::sqrt(1 - config_.topic_share) * token_noise_.normal(at);
    x[c] = config_.layer_similarity * common + beside(config_.layer_similarity) * layer_noise_.normal(at);
  }
  x[0] = 1;
  ++position_;
}

}  // namespace lacuna
