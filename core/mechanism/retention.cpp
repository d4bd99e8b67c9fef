#include "core/mechanism/retention.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/mechanism/norm.hpp"
#include "core/mechanism/require.hpp"
#include "core/mechanism/retention_forms.hpp"

namespace lacuna {
namespace {

const RetentionConfig& checked(const RetentionConfig& config) {
  config.check();
  return config;
}

/// log(1 / (1 + e^-z)), without overflow.
double log_sigmoid(double z) { return std::min(z, 0.0) - std::log1p(std::exp(-std::abs(z))); }

}  // namespace

RetentionWeights RetentionWeights::random(const RetentionConfig& config, std::uint64_t seed) {
  config.check();
  const auto matrix = [&](Index rows, Index columns, std::string_view purpose) {
    return Matrix::random(rows, columns, 1 / std::sqrt(static_cast<double>(columns)), {seed, purpose});
  };
  return {.wq = matrix(config.heads * config.d_qk, config.d_model, "retention.wq"),
          .wk = matrix(config.heads * config.d_qk, config.d_model, "retention.wk"),
          .wv = matrix(config.heads * config.d_v, config.d_model, "retention.wv"),
          .wdecay = matrix(config.heads, config.d_model, "retention.wdecay"),
          .wgate = matrix(config.heads * config.d_v, config.d_model, "retention.wgate"),
          .wo = matrix(config.d_model, config.heads * config.d_v, "retention.wo")};
}

Retention::Retention(const RetentionConfig& config, RetentionWeights weights)
    : config_(checked(config)), weights_(std::move(weights)), rope_(config.rope.value_or(RopeParameters{})) {
  require_shape("retention wq", weights_.wq, config.heads * config.d_qk, config.d_model);
  require_shape("retention wk", weights_.wk, config.heads * config.d_qk, config.d_model);
  require_shape("retention wv", weights_.wv, config.heads * config.d_v, config.d_model);
  require_shape("retention wdecay", weights_.wdecay, config.heads, config.d_model);
  require_shape("retention wgate", weights_.wgate, config.heads * config.d_v, config.d_model);
  require_shape("retention wo", weights_.wo, config.d_model, config.heads * config.d_v);
}

RetentionState Retention::start() const {
  return {.s = std::vector<double>(config_.heads * config_.d_qk * config_.d_v, 0.0)};
}

std::vector<double> Retention::append(std::span<const double> x, RetentionState& state) const {
  const auto& [d_model, heads, d_qk, d_v, gate_divisor, eps, rope] = config_;
  LACUNA_ASSERT(static_cast<Index>(x.size()) % d_model == 0);
  std::vector<double> q = weights_.wq * x, k = weights_.wk * x;
  const std::vector<double> v = weights_.wv * x, gate = weights_.wgate * x, decay = weights_.wdecay * x;
  std::vector<double> o;                                                // [tokens, heads, d_v]
  for (Index row = 0; row < static_cast<Index>(decay.size()); ++row) {  // (token, head)
    const Index h = row % heads;
    const auto q_h = std::span(q).subspan(row * d_qk, d_qk), k_h = std::span(k).subspan(row * d_qk, d_qk);
    rope_.rotate(q_h.first(rope_.channels()), state.tokens);
    rope_.rotate(k_h.first(rope_.channels()), state.tokens);
    for (double& c : k_h) c /= std::sqrt(static_cast<double>(d_qk));
    const double log_decay = log_sigmoid(decay[row]) / gate_divisor;
    std::vector<double> o_h = retention_recurrent({.d_qk = d_qk,
                                                   .d_v = d_v,
                                                   .q = q_h,
                                                   .k = k_h,
                                                   .v = std::span(v).subspan(row * d_v, d_v),
                                                   .log_decay = std::span(&log_decay, 1)},
                                                  std::span(state.s).subspan(h * d_qk * d_v, d_qk * d_v));
    rms_norm(o_h, {}, eps);
    o.insert(o.end(), o_h.begin(), o_h.end());
    if (h == heads - 1) ++state.tokens;
  }
  for (std::size_t c = 0; c < o.size(); ++c) o[c] *= gate[c] / (1 + std::exp(-gate[c]));
  return weights_.wo * o;
}

}  // namespace lacuna
