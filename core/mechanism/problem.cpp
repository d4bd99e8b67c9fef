#include "core/mechanism/problem.hpp"

#include <algorithm>

namespace lacuna {
namespace {

template <class T>
void append(std::vector<T>& to, std::span<const double> numbers) {
  std::ranges::transform(numbers, std::back_inserter(to), [](double x) { return static_cast<T>(x); });
}

/// One tensor [heads, rows, width] of the heads' rows.
template <class T>
Tensor stack(const std::vector<std::vector<double>>& heads, Index rows, Index width) {
  std::vector<T> numbers;
  numbers.reserve(heads.size() * static_cast<std::size_t>(rows * width));
  for (const std::vector<double>& head : heads) append(numbers, std::span(head).first(rows * width));
  return Tensor(static_cast<Index>(heads.size()), rows, width, std::move(numbers));
}

/// [heads, s_q, width] of vectors [heads, width], one per query.
template <class T>
Tensor by_head(std::span<const QueryRows> queries, std::vector<double> QueryRows::*rows, Index heads, Index width) {
  std::vector<T> numbers;
  numbers.reserve(queries.size() * static_cast<std::size_t>(heads * width));
  for (Index head = 0; head < heads; ++head)
    for (const QueryRows& query : queries) append(numbers, std::span(query.*rows).subspan(head * width, width));
  return Tensor(heads, static_cast<Index>(queries.size()), width, std::move(numbers));
}

}  // namespace

template <class T>
AttentionProblem problem_of(const LayerInputs& layer) {
  const MechanismShape& shape = layer.mechanism->shape();
  static const LayerCache none;
  const LayerCache& cache = layer.rows != nullptr ? *layer.rows : none;
  const std::vector<std::vector<double>> no_rows(shape.h_kv);

  AttentionProblem problem;
  problem.q = by_head<T>(layer.queries, &QueryRows::q, shape.h_q, shape.d_qk);
  problem.k = stack<T>(layer.rows != nullptr ? cache.k : no_rows, cache.rows(), shape.d_qk);
  if (shape.shared_kv)
    problem.value_channels = shape.d_v;
  else
    problem.v = stack<T>(layer.rows != nullptr ? cache.v : no_rows, cache.rows(), shape.d_v);
  problem.query_position.assign(layer.query_position.begin(), layer.query_position.end());
  problem.key_position = cache.key_position;
  problem.sink_logit = shape.sink_logit;
  problem.sm_scale = shape.sm_scale;
  problem.stored_element_bytes = sizeof(T);
  if (shape.local_window > 0) {
    LACUNA_ASSERT(layer.local->first_local == 0);  // a problem has the local rows of all tokens
    problem.local.k = stack<T>(layer.local->local, layer.local->tokens, shape.d_qk);
    if (!shape.shared_kv) problem.local.v = stack<T>(layer.local->local_v, layer.local->tokens, shape.d_v);
    problem.local.window = shape.local_window;
  }
  const bool has_index_keys = cache.rows() == 0 || !cache.index_k.empty();  // an indexer of no rows answers too
  if (shape.index_heads > 0 && layer.rows != nullptr && has_index_keys) {
    problem.index.emplace();
    problem.index->q = by_head<T>(layer.queries, &QueryRows::index_q, shape.index_heads, shape.d_index);
    problem.index->k = stack<T>({cache.index_k}, cache.rows(), shape.d_index);
    std::vector<T> weight;
    for (const QueryRows& query : layer.queries) append(weight, query.index_weight);
    problem.index->weight = Tensor(1, static_cast<Index>(layer.queries.size()), shape.index_heads, std::move(weight));
  }
  return problem;
}

template AttentionProblem problem_of<float>(const LayerInputs&);
template AttentionProblem problem_of<double>(const LayerInputs&);

}  // namespace lacuna
