// The layers of DeepSeek-V4 and V4.1 straight from their equations, over the whole sequence at once, in long double:
// what the streaming code is checked against. Softmax without a running maximum, RoPE by complex numbers.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "core/mechanism/shared_state.hpp"
#include "support/random.hpp"

namespace lacuna::testing_core::shared_state {

using Real = long double;
using RealVector = std::vector<Real>;
using RealRows = std::vector<RealVector>;  // [rows][width]

inline RealVector project(const Matrix& weight, const RealVector& x) {
  RealVector y(weight.rows(), 0);
  for (Index i = 0; i < weight.rows(); ++i)
    for (Index c = 0; c < weight.columns(); ++c) y[i] += static_cast<Real>(weight.row(i)[c]) * x[c];
  return y;
}

inline RealVector normalised(RealVector x, const std::vector<double>& gamma, double eps) {
  Real square = 0;
  for (const Real c : x) square += c * c;
  const Real rms = std::sqrt(square / static_cast<Real>(x.size()) + static_cast<Real>(eps));
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = x[c] / rms * (gamma.empty() ? 1 : static_cast<Real>(gamma[c]));
  return x;
}

/// Radians per position of the layer's channel pair i: base^(-2i/d), which YaRN divides by its factor where the pair
/// turns seldom in the original context.
inline Real frequency(const SharedStateConfig& config, Index pair) {
  const Real d = config.qk_rope;
  const Real base = config.ratio == 0 ? config.local_base : config.compressed_base;
  const Real plain = std::exp(-2 * static_cast<Real>(pair) / d * std::log(base));
  if (config.ratio == 0) return plain;
  const Yarn& yarn = config.compressed_yarn;
  const auto pair_turning = [&](Real turns) {
    return d / 2 * std::log(yarn.original_context / (2 * std::numbers::pi_v<Real> * turns)) / std::log(base);
  };
  const Real low = std::max<Real>(std::floor(pair_turning(yarn.beta_fast)), 0);
  const Real high = std::min<Real>(std::ceil(pair_turning(yarn.beta_slow)), d - 1);
  if (static_cast<Real>(pair) <= low) return plain;
  if (static_cast<Real>(pair) >= high) return plain / yarn.factor;
  const Real slow = (static_cast<Real>(pair) - low) / (high - low);
  return plain * (1 - slow) + plain / yarn.factor * slow;
}

/// The last qk_rope channels, pairs (2i, 2i + 1), turned by the angles of a position.
inline RealVector rotated(RealVector x, const SharedStateConfig& config, Index position) {
  const std::size_t nope = x.size() - config.qk_rope;
  for (Index i = 0; i < config.qk_rope / 2; ++i) {
    Real& a = x[nope + 2 * i];
    Real& b = x[nope + 2 * i + 1];
    const auto turned = std::complex<Real>(a, b) * std::polar<Real>(1, frequency(config, i) * position);
    a = turned.real();
    b = turned.imag();
  }
  return x;
}

/// Latents of every complete group; x [tokens][d_model].
inline RealRows latents(const CompressorConfig& config, const CompressorWeights& weights, const RealRows& x) {
  const bool gated = config.pooling == Pooling::gated;
  RealRows value;
  RealRows logit;
  for (std::size_t i = 0; i < x.size(); ++i) {
    value.push_back(project(weights.kv, x[i]));
    logit.push_back(gated ? project(weights.gate, x[i]) : RealVector(value.back().size(), 0));
    if (gated && config.position_bias)
      for (std::size_t c = 0; c < logit[i].size(); ++c) logit[i][c] += weights.ape.row(i % config.ratio)[c];
  }
  RealRows result;
  for (Index j = 0; (j + 1) * config.ratio <= static_cast<Index>(x.size()); ++j) {
    const Index own = j * config.ratio;
    const Index first = config.overlap ? std::max<Index>(own - config.ratio, 0) : own;
    RealVector entry(config.width, 0);
    for (Index c = 0; c < config.width; ++c) {
      Real sum = 0;
      for (Index i = first; i < own + config.ratio; ++i) {
        const Index column = config.overlap && i >= own ? config.width + c : c;
        sum += std::exp(logit[i][column]);
        entry[c] += std::exp(logit[i][column]) * value[i][column];
      }
      entry[c] /= sum;
    }
    result.push_back(normalised(entry, weights.gamma, config.eps));
  }
  return result;
}

/// Rows of the layer over a sequence x [tokens][d_model].
struct LayerRows {
  RealRows local;    // [tokens][head_dim]
  RealRows entries;  // [rows][head_dim]
  RealRows index_k;  // [rows][d_index]
};

inline LayerRows layer_rows(const SharedStateConfig& config, const SharedStateWeights& weights, const RealRows& x) {
  LayerRows rows;
  for (std::size_t t = 0; t < x.size(); ++t)
    rows.local.push_back(rotated(normalised(project(weights.kv, x[t]), weights.kv_gamma, config.eps), config, t));
  if (!config.has_rows()) return rows;
  const RealRows main = latents(config.compressor(), weights.compressor, x);
  for (std::size_t j = 0; j < main.size(); ++j) rows.entries.push_back(rotated(main[j], config, j * config.ratio));
  if (!config.makes_index_keys()) return rows;
  if (config.index_keys == IndexKeySource::hidden_states)
    rows.index_k = latents(config.index_compressor(), weights.indexer.compressor, x);
  else
    for (const RealVector& latent : main)
      rows.index_k.push_back(normalised(project(weights.indexer.key, latent), weights.indexer.key_gamma, config.eps));
  for (std::size_t j = 0; j < rows.index_k.size(); ++j)
    rows.index_k[j] = rotated(rows.index_k[j], config, j * config.ratio);
  return rows;
}

inline RealVector low_rank_query(const SharedStateConfig& config, const SharedStateWeights& weights,
                                 const RealVector& x) {
  return normalised(project(weights.query_down, x), weights.query_gamma, config.eps);
}

/// Head `h` of heads that lie one after the other.
inline RealVector head(const RealVector& rows, Index h, Index width) {
  return {rows.begin() + h * width, rows.begin() + (h + 1) * width};
}

inline RealVector query_head(const SharedStateConfig& config, const SharedStateWeights& weights, const RealVector& x,
                             Index h, Index position) {
  const RealVector all = project(weights.query_up, low_rank_query(config, weights, x));
  RealVector q = head(all, h, config.head_dim);
  if (config.normalise_q) q = normalised(q, {}, config.eps);
  return rotated(q, config, position);
}

inline Real dot(const RealVector& a, const RealVector& b) {
  Real sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

/// sum_j e^(s_j) v_j / (sum_j e^(s_j) + e^sink) with K = V.
inline RealVector attend(const RealVector& q, const RealRows& keys, Real sm_scale, Real sink) {
  RealVector o(q.size(), 0);
  Real sum = std::exp(sink);
  for (const RealVector& key : keys) {
    const Real weight = std::exp(sm_scale * dot(q, key));
    sum += weight;
    for (std::size_t c = 0; c < o.size(); ++c) o[c] += weight * key[c];
  }
  for (Real& c : o) c /= sum;
  return o;
}

/// Local rows of the window and visible entries of a query at t.
inline RealRows seen_rows(const SharedStateConfig& config, const LayerRows& rows, Index t) {
  RealRows seen;
  for (Index i = std::max<Index>(t - config.local_window + 1, 0); i <= t; ++i) seen.push_back(rows.local[i]);
  if (config.has_rows())
    for (Index j = 0; config.ratio * (j + 1) <= t + 1; ++j) seen.push_back(rows.entries[j]);
  return seen;
}

/// y_t of a layer that reads every visible entry.
inline RealVector layer_output(const SharedStateConfig& config, const SharedStateWeights& weights, const RealRows& x,
                               Index t) {
  const RealRows seen = seen_rows(config, layer_rows(config, weights, x), t);
  RealVector low_rank;
  for (Index g = 0; g < config.o_groups; ++g) {
    RealVector group;
    for (Index h = g * config.heads / config.o_groups; h < (g + 1) * config.heads / config.o_groups; ++h) {
      const RealVector o = rotated(attend(query_head(config, weights, x[t], h, t), seen,
                                          1 / std::sqrt(static_cast<Real>(config.head_dim)), weights.sink_logit[h]),
                                   config, -t);
      group.insert(group.end(), o.begin(), o.end());
    }
    const RealVector projected = project(weights.output_down[g], group);
    low_rank.insert(low_rank.end(), projected.begin(), projected.end());
  }
  return project(weights.output_up, low_rank);
}

/// Row i of rows that lie one after the other.
inline std::vector<double> row(const std::vector<double>& rows, Index i, Index width) {
  return {rows.begin() + i * width, rows.begin() + (i + 1) * width};
}

/// Hidden states [tokens * d_model] with channel 0 equal to 1.
inline std::vector<double> hidden_states(Index tokens, Index d_model, Random& random) {
  std::vector<double> x(tokens * d_model);
  for (double& c : x) c = random.normal();
  for (Index t = 0; t < tokens; ++t) x[t * d_model] = 1;
  return x;
}

inline RealRows widened(const std::vector<double>& x, Index width) {
  RealRows rows;
  for (std::size_t i = 0; i < x.size(); i += width) rows.emplace_back(x.begin() + i, x.begin() + i + width);
  return rows;
}

inline std::vector<double> random_gamma(Index size, Random& random) {
  std::vector<double> gamma(size);
  for (double& c : gamma) c = random.uniform(0.5, 1.5);
  return gamma;
}

/// Random weights whose gammas are not all 1.
inline SharedStateWeights random_weights(const SharedStateConfig& config, Random& random) {
  SharedStateWeights weights = SharedStateWeights::random(config, random.word());
  weights.query_gamma = random_gamma(config.q_lora_rank, random);
  weights.kv_gamma = random_gamma(config.head_dim, random);
  if (config.has_rows()) weights.compressor.gamma = random_gamma(config.head_dim, random);
  if (config.makes_index_keys()) {
    if (config.index_keys == IndexKeySource::hidden_states)
      weights.indexer.compressor.gamma = random_gamma(config.d_index, random);
    else
      weights.indexer.key_gamma = random_gamma(config.d_index, random);
  }
  return weights;
}

/// A CSA layer that one can print.
inline SharedStateConfig small_v4() {
  SharedStateConfig config = SharedStateConfig::v4_flash(4);
  config.d_model = 12;
  config.heads = 4;
  config.head_dim = 10;
  config.qk_rope = 4;
  config.q_lora_rank = 6;
  config.o_groups = 2;
  config.o_lora_rank = 3;
  config.local_window = 5;
  config.index_heads = 3;
  config.d_index = 6;
  return config;
}

/// The extents of a model made small, at random.
inline SharedStateConfig shrink(SharedStateConfig config, Random& random) {
  config.d_model = random.integer(3, 13);
  config.o_groups = random.integer(1, 3);
  config.heads = config.o_groups * random.integer(1, 3);
  config.qk_rope = 2 * random.integer(0, 4);
  config.head_dim = config.qk_rope + random.integer(1, 9);
  config.q_lora_rank = random.integer(1, 7);
  config.o_lora_rank = random.integer(1, 5);
  config.local_window = random.integer(1, 9);
  config.index_heads = random.integer(1, 5);
  config.d_index = config.qk_rope + random.integer(1, config.head_dim - config.qk_rope);
  return config;
}

/// A small layer of either model, or one that neither has.
inline SharedStateConfig random_config(Random& random) {
  const Index kind = random.integer(0, 5);
  if (kind <= 1) return shrink(SharedStateConfig::v4_flash(kind == 0 ? 0 : 4), random);
  if (kind <= 3) return shrink(SharedStateConfig::v41_flash(kind - 1), random);
  SharedStateConfig config = shrink(SharedStateConfig::v4_flash(4), random);
  config.ratio = random.integer(1, 7);
  config.overlap = random.chance(0.5);
  config.position_bias = random.chance(0.5);
  config.pooling = random.chance(0.7) ? Pooling::gated : Pooling::mean;
  config.normalise_q = random.chance(0.5);
  config.index_keys = random.chance(0.5) ? IndexKeySource::hidden_states : IndexKeySource::latent;
  config.index_quality = random.one_of<double>({0, 0.5, 1});
  return config;
}

/// The largest |a - b| over rows that lie one after the other, as a part of 1 + |b|; NaN counts as infinite.
inline double largest_error(const std::vector<double>& measured, const RealRows& exact) {
  std::size_t i = 0;
  double largest = 0;
  for (const RealVector& row : exact)
    for (const Real c : row) {
      if (i == measured.size()) return INFINITY;
      const Real error = std::abs(measured[i++] - c) / (1 + std::abs(c));
      if (!(error <= largest)) largest = std::isnan(error) ? INFINITY : static_cast<double>(error);
    }
  return i == measured.size() ? largest : INFINITY;
}

}  // namespace lacuna::testing_core::shared_state
