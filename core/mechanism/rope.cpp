#include "core/mechanism/rope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lacuna {
namespace {

void apply_yarn(const RopeParameters& parameters, std::vector<double>& frequencies) {
  const Yarn& yarn = *parameters.yarn;
  const double d = static_cast<double>(parameters.channels);
  const auto pair_of_turns = [&](double turns) {
    return d * std::log(yarn.original_context / (2 * std::numbers::pi * turns)) / (2 * std::log(parameters.base));
  };
  const double low = std::max(std::floor(pair_of_turns(yarn.beta_fast)), 0.0);
  double high = std::min(std::ceil(pair_of_turns(yarn.beta_slow)), d - 1);
  if (high == low) high += 0.001;  // as the published code, against a division by zero
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double keep = 1 - std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] / yarn.factor * (1 - keep) + frequencies[i] * keep;
  }
}

}  // namespace

Rope::Rope(const RopeParameters& parameters) : pairs_(parameters.pairs), frequencies_(parameters.channels / 2) {
  LACUNA_ASSERT(parameters.channels % 2 == 0 && parameters.base > 0);
  const double half = static_cast<double>(frequencies_.size());
  const double span = parameters.spacing == RopeSpacing::standard ? half : std::max(half - 1, 1.0);
  for (std::size_t i = 0; i < frequencies_.size(); ++i)
    frequencies_[i] = std::pow(parameters.base, -static_cast<double>(i) / span);
  if (parameters.yarn) apply_yarn(parameters, frequencies_);
}

void Rope::rotate(std::span<double> x, Index position) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) == channels());
  const std::size_t half = frequencies_.size();
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(position) * frequencies_[i];
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    double& a = pairs_ == RopePairs::interleaved ? x[2 * i] : x[i];
    double& b = pairs_ == RopePairs::interleaved ? x[2 * i + 1] : x[i + half];
    const double rotated = a * cosine - b * sine;
    b = a * sine + b * cosine;
    a = rotated;
  }
}

}  // namespace lacuna
