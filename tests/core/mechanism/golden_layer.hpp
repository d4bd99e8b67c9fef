// A layer over the hidden states of a .golden file, attended by a softmax written out, and its comparison with the
// file.
//
// The files are exact to a few units of double precision (golden/make_golden.py says how). What is compared here are
// sums of at most a few hundred products, in another order: 1e-13 of the norm is above their rounding, and far below
// what one wrong position, channel or epsilon changes (1e-5 and more).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/mechanism/golden_file.hpp"
#include "core/mechanism/index_score.hpp"
#include "core/mechanism/matrix.hpp"
#include "core/mechanism/mechanism.hpp"

namespace lacuna::testing_core {

constexpr double golden_tolerance = 1e-13;

inline Matrix matrix_of(const GoldenMatrix& golden) { return {golden.rows, golden.columns, golden.data}; }

/// What every token of a layer asked with and received; rows of tokens lie one after the other.
struct LayerRun {
  LayerCache cache;
  std::vector<double> q;                     // [tokens, h_q, d_qk]
  std::vector<double> index_q;               // [tokens, index_heads, d_index]
  std::vector<double> index_weight;          // [tokens, index_heads]
  std::vector<double> index_scores;          // [tokens, rows], -inf where invisible
  std::vector<std::vector<Index>> selected;  // [tokens][any], in the order of the rows
  std::vector<double> o;                     // [tokens, h_q, d_v]
  std::vector<double> y;                     // [tokens, d_model]
};

/// One score and value per key that a head reads.
struct ReadKey {
  const double* k;  // [d_qk]
  const double* v;  // [d_v]
};

/// o [d_v] of one head's q [d_qk]: sum_j e^{s_j} v_j / ( sum_j e^{s_j} + e^{sink} ).
inline std::vector<double> softmax_mean(const MechanismShape& shape, const double* q, const std::vector<ReadKey>& keys,
                                        double sink) {
  std::vector<double> s;
  for (const ReadKey& key : keys) s.push_back(shape.sm_scale * std::inner_product(q, q + shape.d_qk, key.k, 0.0));
  const double largest = std::max(sink, *std::max_element(s.begin(), s.end()));
  double sum = std::exp(sink - largest);
  std::vector<double> o(shape.d_v);
  for (std::size_t j = 0; j < s.size(); ++j) {
    const double e = std::exp(s[j] - largest);
    sum += e;
    for (Index c = 0; c < shape.d_v; ++c) o[c] += e * keys[j].v[c];
  }
  for (double& c : o) c /= sum;
  return o;
}

/// The top_k visible rows of highest index score, ties to the lower row; all visible rows without an indexer.
inline std::vector<Index> selected_rows(const std::vector<double>& scores, Index visible, Index top_k) {
  std::vector<Index> rows(visible);
  std::iota(rows.begin(), rows.end(), Index{0});
  if (scores.empty()) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return scores[a] > scores[b]; });
  rows.resize(std::min<std::size_t>(rows.size(), top_k));
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// The keys of one head: the selected cached rows, then the local rows of the window.
inline std::vector<ReadKey> keys_of_head(const MechanismShape& shape, const LayerCache& cache,
                                         const std::vector<Index>& selected, Index head, Index position) {
  const Index kv = head * shape.h_kv / shape.h_q;
  std::vector<ReadKey> keys;
  for (const Index j : selected) {
    const double* k = cache.k[kv].data() + j * shape.d_qk;
    keys.push_back({k, shape.shared_kv ? k : cache.v[kv].data() + j * shape.d_v});
  }
  for (Index j = std::max<Index>(0, position - shape.local_window + 1); shape.local_window > 0 && j <= position; ++j) {
    const double* row = cache.local[kv].data() + j * shape.d_qk;
    keys.push_back({row, row});
  }
  return keys;
}

inline void append_to(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// x [tokens, d_model]; top_k is read by layers with an indexer.
inline LayerRun run_layer(const Mechanism& layer, const GoldenMatrix& x, Index top_k = 0) {
  const MechanismShape& shape = layer.shape();
  LayerRun run;
  run.cache = layer.start();
  layer.append(x.data, run.cache);
  for (Index t = 0; t < x.rows; ++t) {
    const QueryRows query = layer.query(x.row(t), t);
    const Index visible = std::count_if(run.cache.key_position.begin(), run.cache.key_position.end(),
                                        [&](Index position) { return position <= t; });
    std::vector<double> scores;
    if (shape.index_heads > 0) {
      scores.assign(run.cache.rows(), -INFINITY);
      for (Index j = 0; j < visible; ++j)
        scores[j] = index_score(query.index_q, query.index_weight,
                                std::span(run.cache.index_k).subspan(j * shape.d_index, shape.d_index));
    }
    run.selected.push_back(selected_rows(scores, visible, top_k));
    std::vector<double> o;
    for (Index h = 0; h < shape.h_q; ++h)
      append_to(o, softmax_mean(shape, query.q.data() + h * shape.d_qk,
                                keys_of_head(shape, run.cache, run.selected.back(), h, t),
                                shape.sink_logit.empty() ? -INFINITY : shape.sink_logit[h]));
    append_to(run.q, query.q);
    append_to(run.index_q, query.index_q);
    append_to(run.index_weight, query.index_weight);
    append_to(run.index_scores, scores);
    append_to(run.o, o);
    append_to(run.y, layer.output(o, t));
  }
  return run;
}

/// The sets of the file's rows, -1 left out.
inline std::vector<std::vector<Index>> golden_selection(const GoldenMatrix& golden) {
  std::vector<std::vector<Index>> selected(golden.rows);
  for (Index t = 0; t < golden.rows; ++t) {
    for (const double j : golden.row(t))
      if (j >= 0) selected[t].push_back(static_cast<Index>(j));
    std::sort(selected[t].begin(), selected[t].end());
  }
  return selected;
}

/// |actual - golden| / |golden| over what is finite; infinite values must be the same, in the same places.
inline void expect_golden(const std::vector<double>& actual, const GoldenFile& file, const std::string& block) {
  const std::vector<double>& golden = file[block].data;
  ASSERT_EQ(actual.size(), golden.size()) << block;
  ASSERT_FALSE(golden.empty()) << block;
  double square = 0, error = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    if (std::isinf(golden[i])) {
      ASSERT_EQ(actual[i], golden[i]) << block << " at " << i;
      continue;
    }
    square += golden[i] * golden[i];
    error += (actual[i] - golden[i]) * (actual[i] - golden[i]);
  }
  const double relative = std::sqrt(error / square);
  EXPECT_TRUE(relative <= golden_tolerance) << block << " differs by " << relative << " of its norm";
}

}  // namespace lacuna::testing_core
