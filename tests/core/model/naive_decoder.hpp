// A described decoder straight from its equations, over the whole sequence at once, in long double: every layer makes
// its rows for all tokens and then attends with a mask. Softmax without a running maximum, MLA expanded, retention in
// its parallel form. YaRN is left to the tests of the mechanisms that have it; layers of shared state have theirs.
#pragma once

#include <complex>

#include "core/model/weights.hpp"
#include "mechanism/shared_state_definition.hpp"

namespace lacuna::testing_core::naive {

using shared_state::dot;
using shared_state::head;
using shared_state::project;
using shared_state::Real;
using shared_state::RealRows;
using shared_state::RealVector;

struct Made;

/// What a decoder must not do, and what it does in a replay.
struct Departure {
  bool bidirectional = false;                 ///< attention to tokens after the query
  bool positions_stretch_to_length = false;   ///< positions t 8 / n instead of t
  std::vector<Index> first_window = {};       ///< per layer: tokens from there on see no window rows before; empty: all
  const std::vector<Made>* stored = nullptr;  ///< [layers] entries that end before stored_tokens are these
  Index stored_tokens = 0;
};

struct Sequence {
  const ModelDescription& model;
  const ModelWeights& weights;
  Departure departure = {};
};

inline RealVector add(RealVector a, const RealVector& b) {
  for (std::size_t c = 0; c < a.size(); ++c) a[c] += b[c];
  return a;
}

inline RealVector add(RealVector a, const std::vector<double>& bias) {
  for (std::size_t c = 0; c < bias.size(); ++c) a[c] += bias[c];
  return a;
}

inline RealVector norm_of(const Sequence& sequence, const NormWeights& weights, const RealVector& x) {
  const Real n = static_cast<Real>(x.size());
  Real mean = 0, variance = 0;
  if (sequence.model.norm == NormKind::layer_norm)
    for (const Real c : x) mean += c / n;
  for (const Real c : x) variance += (c - mean) * (c - mean) / n;
  RealVector y;
  for (std::size_t c = 0; c < x.size(); ++c)
    y.push_back((x[c] - mean) / std::sqrt(variance + sequence.model.eps) * weights.gain[c] +
                (weights.shift.empty() ? 0 : weights.shift[c]));
  return y;
}

/// The first channels turned by the angles of a position, which need not be whole.
inline RealVector turned(RealVector x, const RopeParameters& rope, Real position) {
  const Index half = rope.channels / 2;
  const Real steps = rope.spacing == RopeSpacing::standard ? half : std::max<Index>(half - 1, 1);
  for (Index i = 0; i < half; ++i) {
    const bool split = rope.pairs == RopePairs::half_split;
    Real& a = x[split ? i : 2 * i];
    Real& b = x[split ? i + half : 2 * i + 1];
    const Real angle = position / std::pow<Real>(rope.base, i / steps);
    const auto z = std::complex<Real>(a, b) * std::polar<Real>(1, angle);
    a = z.real();
    b = z.imag();
  }
  return x;
}

inline Real position_of(const Sequence& sequence, std::size_t t, std::size_t n) {
  return sequence.departure.positions_stretch_to_length ? 8 * static_cast<Real>(t) / static_cast<Real>(n)
                                                        : static_cast<Real>(t);
}

inline bool sees(const Sequence& sequence, std::size_t place, std::size_t t, std::size_t j, Index window) {
  if (j > t) return sequence.departure.bidirectional;
  const std::vector<Index>& first_window = sequence.departure.first_window;
  const auto first = static_cast<std::size_t>(first_window.empty() || window == 0 ? 0 : first_window[place]);
  if (j < first && t >= first) return false;
  return window == 0 || t - j < static_cast<std::size_t>(window);
}

/// Keys and values per KV head and token.
struct HeadRows {
  std::vector<RealRows> k, v;  // [h_kv][tokens][d]
};

inline HeadRows rows_of(const Sequence& sequence, const ProjectedConfig& config, const ProjectedWeights& weights,
                        const RealRows& x) {
  HeadRows rows{std::vector<RealRows>(config.h_kv), std::vector<RealRows>(config.h_kv)};
  for (std::size_t t = 0; t < x.size(); ++t) {
    const RealVector k = add(project(weights.wk, x[t]), weights.bk), v = add(project(weights.wv, x[t]), weights.bv);
    for (Index g = 0; g < config.h_kv; ++g) {
      RealVector key = head(k, g, config.d_qk);
      if (config.rope) key = turned(key, *config.rope, position_of(sequence, t, x.size()));
      rows.k[g].push_back(key);
      rows.v[g].push_back(head(v, g, config.d_v));
    }
  }
  return rows;
}

inline RealVector masked_softmax(const Sequence& sequence, std::size_t place, const RealVector& q, const RealRows& k,
                                 const RealRows& v, Real scale, std::size_t t, Index window) {
  RealVector o(v[0].size(), 0);
  Real z = 0;
  for (std::size_t j = 0; j < k.size(); ++j) {
    if (!sees(sequence, place, t, j, window)) continue;
    const Real e = std::exp(scale * dot(q, k[j]));
    z += e;
    for (std::size_t c = 0; c < o.size(); ++c) o[c] += e * v[j][c];
  }
  for (Real& c : o) c /= z;
  return o;
}

inline RealRows attention(const Sequence& sequence, std::size_t place, const ProjectedConfig& config,
                          const ProjectedWeights& weights, const HeadRows& rows, const RealRows& x) {
  RealRows y;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const RealVector all = add(project(weights.wq, x[t]), weights.bq);
    RealVector o;
    for (Index h = 0; h < config.h_q; ++h) {
      RealVector q = head(all, h, config.d_qk);
      if (config.rope) q = turned(q, *config.rope, position_of(sequence, t, x.size()));
      const Index g = h / (config.h_q / config.h_kv);
      const RealVector o_h = masked_softmax(sequence, place, q, rows.k[g], rows.v[g],
                                            1 / std::sqrt(static_cast<Real>(config.d_qk)), t, config.local_window);
      o.insert(o.end(), o_h.begin(), o_h.end());
    }
    y.push_back(add(project(weights.wo, o), weights.bo));
  }
  return y;
}

/// Expanded: keys and values of every head.
inline RealRows attention(const Sequence& sequence, std::size_t place, const MlaConfig& config,
                          const MlaWeights& weights, const RealRows& x) {
  const RopeParameters rope{.channels = config.qk_rope, .base = config.rope_base};
  std::vector<RealRows> k(config.heads), v(config.heads);
  for (std::size_t t = 0; t < x.size(); ++t) {
    const RealVector both = project(weights.wkva, x[t]);
    const RealVector latent =
        shared_state::normalised({both.begin(), both.begin() + config.kv_lora_rank}, weights.kv_norm, config.eps);
    const RealVector shared =
        turned({both.begin() + config.kv_lora_rank, both.end()}, rope, position_of(sequence, t, x.size()));
    const RealVector expanded = project(weights.wkvb, latent);
    for (Index h = 0; h < config.heads; ++h) {
      const RealVector pair = head(expanded, h, config.qk_nope + config.d_v);
      k[h].emplace_back(pair.begin(), pair.begin() + config.qk_nope);
      k[h].back().insert(k[h].back().end(), shared.begin(), shared.end());
      v[h].emplace_back(pair.begin() + config.qk_nope, pair.end());
    }
  }
  RealRows y;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const RealVector low = shared_state::normalised(project(weights.wqa, x[t]), weights.q_norm, config.eps);
    const RealVector all = project(weights.wqb, low);
    RealVector o;
    for (Index h = 0; h < config.heads; ++h) {
      RealVector q = head(all, h, config.d_qk());
      const RealVector tail = turned({q.begin() + config.qk_nope, q.end()}, rope, position_of(sequence, t, x.size()));
      std::copy(tail.begin(), tail.end(), q.begin() + config.qk_nope);
      const RealVector o_h =
          masked_softmax(sequence, place, q, k[h], v[h], 1 / std::sqrt(static_cast<Real>(config.d_qk())), t, 0);
      o.insert(o.end(), o_h.begin(), o_h.end());
    }
    y.push_back(project(weights.wo, o));
  }
  return y;
}

inline RealRows attention(const Sequence& sequence, std::size_t place, const SharedStateConfig& config,
                          const SharedStateWeights& weights, const RealRows& entries, const RealRows& x) {
  const RealRows local = shared_state::layer_rows(config, weights, x).local;
  const Index per_group = config.heads / config.o_groups;
  RealRows y;
  for (Index t = 0; t < static_cast<Index>(x.size()); ++t) {
    RealRows seen;
    for (Index j = 0; j <= t; ++j)
      if (sees(sequence, place, t, j, config.local_window)) seen.push_back(local[j]);
    for (Index j = 0; j < static_cast<Index>(entries.size()); ++j)
      if ((j + 1) * config.ratio - 1 <= t) seen.push_back(entries[j]);
    RealVector low_rank;
    for (Index g = 0; g < config.o_groups; ++g) {
      RealVector group;
      for (Index h = g * per_group; h < (g + 1) * per_group; ++h) {
        const RealVector o = shared_state::rotated(
            shared_state::attend(shared_state::query_head(config, weights, x[t], h, t), seen,
                                 1 / std::sqrt(static_cast<Real>(config.head_dim)), weights.sink_logit[h]),
            config, -t);
        group.insert(group.end(), o.begin(), o.end());
      }
      const RealVector down = project(weights.output_down[g], group);
      low_rank.insert(low_rank.end(), down.begin(), down.end());
    }
    y.push_back(project(weights.output_up, low_rank));
  }
  return y;
}

inline RealRows retention(const RetentionConfig& config, const RetentionWeights& weights, const RealRows& x) {
  const auto rotated = [&](const Matrix& w, std::size_t t, Index h) {
    const RealVector row = head(project(w, x[t]), h, config.d_qk);
    return config.rope ? turned(row, *config.rope, static_cast<Real>(t)) : row;
  };
  RealRows y;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const RealVector gate = project(weights.wgate, x[t]);
    RealVector o;
    for (Index h = 0; h < config.heads; ++h) {
      RealVector o_h(config.d_v, 0);
      Real decay = 1;  // of tokens j + 1 to t
      for (std::size_t j = t + 1; j-- > 0;) {
        const Real weight = decay * dot(rotated(weights.wq, t, h), rotated(weights.wk, j, h)) /
                            std::sqrt(static_cast<Real>(config.d_qk));
        const RealVector v = head(project(weights.wv, x[j]), h, config.d_v);
        for (Index c = 0; c < config.d_v; ++c) o_h[c] += weight * v[c];
        decay *=
            std::pow(1 / (1 + std::exp(-project(weights.wdecay, x[j])[h])), 1 / static_cast<Real>(config.gate_divisor));
      }
      o_h = shared_state::normalised(o_h, {}, config.eps);
      o.insert(o.end(), o_h.begin(), o_h.end());
    }
    for (std::size_t c = 0; c < o.size(); ++c) o[c] *= gate[c] / (1 + std::exp(-gate[c]));
    y.push_back(project(weights.wo, o));
  }
  return y;
}

inline RealVector feed_forward(const FeedForwardConfig& config, const FeedForwardWeights& weights,
                               const RealVector& x) {
  RealVector hidden = add(project(weights.up, x), weights.up_bias);
  const RealVector gate =
      config.kind == FeedForwardKind::swiglu ? project(weights.gate, x) : RealVector(hidden.size(), 0);
  const Real pi = std::acos(static_cast<Real>(-1));
  for (std::size_t c = 0; c < hidden.size(); ++c) {
    const Real z = hidden[c];
    if (config.kind == FeedForwardKind::relu) hidden[c] = z > 0 ? z : 0;
    if (config.kind == FeedForwardKind::swiglu) hidden[c] = z * gate[c] / (1 + std::exp(-gate[c]));
    if (config.kind == FeedForwardKind::gelu) hidden[c] = z * std::erfc(-z / std::sqrt(static_cast<Real>(2))) / 2;
    if (config.kind == FeedForwardKind::gelu_tanh)
      hidden[c] = z / (1 + std::exp(-2 * std::sqrt(2 / pi) * (z + 0.044715L * z * z * z)));
  }
  return add(project(weights.down, hidden), weights.down_bias);
}

/// What later layers may read of a layer.
struct Made {
  HeadRows rows;
  RealRows entries;
};

/// Rows of `ratio` tokens that end before departure.stored_tokens become the stored ones.
inline void take_stored(const Sequence& sequence, std::size_t place, Index ratio, Made& made) {
  if (sequence.departure.stored == nullptr) return;
  const Made& stored = (*sequence.departure.stored)[place];
  const auto take = [&](const RealRows& from, RealRows& to) {
    for (Index j = 0; j < static_cast<Index>(to.size()) && (j + 1) * ratio <= sequence.departure.stored_tokens; ++j)
      to[j] = from[j];
  };
  take(stored.entries, made.entries);
  for (std::size_t g = 0; g < made.rows.k.size(); ++g) {
    take(stored.rows.k[g], made.rows.k[g]);
    take(stored.rows.v[g], made.rows.v[g]);
  }
}

inline RealRows mixed(const Sequence& sequence, std::size_t place, const RealRows& x, std::vector<Made>& made) {
  const LayerDescription& layer = sequence.model.layers[place];
  const AttentionWeights& weights = sequence.weights.layers[place].attention;
  const Made& read = made[layer.rows_of ? sequence.model.place_of(*layer.rows_of) : static_cast<Index>(place)];
  if (const auto* config = std::get_if<ProjectedConfig>(&layer.attention)) {
    const auto& own = std::get<ProjectedWeights>(weights);
    if (!layer.rows_of) {
      made[place].rows = rows_of(sequence, *config, own, x);
      if (config->local_window == 0) take_stored(sequence, place, 1, made[place]);
    }
    return attention(sequence, place, *config, own, read.rows, x);
  }
  if (const auto* config = std::get_if<SharedStateConfig>(&layer.attention)) {
    const auto& own = std::get<SharedStateWeights>(weights);
    if (!layer.rows_of) {
      made[place].entries = shared_state::layer_rows(*config, own, x).entries;
      take_stored(sequence, place, config->ratio, made[place]);
    }
    return attention(sequence, place, *config, own, read.entries, x);
  }
  if (const auto* config = std::get_if<MlaConfig>(&layer.attention))
    return attention(sequence, place, *config, std::get<MlaWeights>(weights), x);
  if (const auto* config = std::get_if<SparseMlaConfig>(&layer.attention))
    return attention(sequence, place, config->mla, std::get<SparseMlaWeights>(weights).mla, x);
  return retention(std::get<RetentionConfig>(layer.attention), std::get<RetentionWeights>(weights), x);
}

/// Hidden states behind the last layer, [tokens][d_model]; `all_made` takes what the layers made.
inline RealRows hidden_states(const Sequence& sequence, const std::vector<Index>& tokens,
                              std::vector<Made>* all_made = nullptr) {
  const ModelDescription& model = sequence.model;
  const ModelWeights& weights = sequence.weights;
  const bool before = model.norm_place == NormPlace::before;
  RealRows h;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    RealVector row;
    for (const double e : weights.embedding.row(tokens[t]))
      row.push_back(static_cast<Real>(e) * static_cast<Real>(model.embedding_scale));
    const auto learned = static_cast<Index>(position_of(sequence, t, tokens.size()));
    for (Index c = 0; c < model.d_model && model.learned_positions > 0; ++c)
      row[c] += weights.positions.row(learned)[c];
    h.push_back(row);
  }
  std::vector<Made> made(model.layers.size());
  for (std::size_t place = 0; place < model.layers.size(); ++place) {
    const LayerWeights& own = weights.layers[place];
    RealRows x = h;
    if (before)
      for (RealVector& row : x) row = norm_of(sequence, own.attention_norm, row);
    const RealRows y = mixed(sequence, place, x, made);
    for (std::size_t t = 0; t < h.size(); ++t) {
      h[t] = add(h[t], y[t]);
      if (!before) h[t] = norm_of(sequence, own.attention_norm, h[t]);
      const RealVector input = before ? norm_of(sequence, own.feed_forward_norm, h[t]) : h[t];
      h[t] = add(h[t], feed_forward(model.layers[place].feed_forward, own.feed_forward, input));
      if (!before) h[t] = norm_of(sequence, own.feed_forward_norm, h[t]);
    }
  }
  if (all_made != nullptr) *all_made = std::move(made);
  return h;
}

}  // namespace lacuna::testing_core::naive
