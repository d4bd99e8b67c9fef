#include "core/model/attend_layer.hpp"

#include <algorithm>

#include "core/model/dense_attention.hpp"

namespace lacuna {
namespace {

DenseRows rows_of(const MechanismShape& shape, const std::vector<double>& k, const std::vector<std::vector<double>>& v,
                  Index kv_head) {
  if (shape.shared_kv) return {k.data(), k.data(), shape.d_qk};
  return {k.data(), v[kv_head].data(), shape.d_v};
}

SeenRows seen_at(const LayerInputs& inputs, Index position) {
  SeenRows seen;
  if (inputs.rows != nullptr)
    seen.cached = std::ranges::upper_bound(inputs.rows->key_position, position) - inputs.rows->key_position.begin();
  const Index window = inputs.mechanism->shape().local_window;
  if (window == 0) return seen;
  seen.local_begin = std::max(position + 1 - window, inputs.local->first_local);
  seen.local = position + 1 - seen.local_begin;
  return seen;
}

}  // namespace

std::vector<double> ExactAttend::attend(Index /*label*/, const LayerInputs& inputs) {
  LACUNA_ASSERT(inputs.queries.size() == 1 && inputs.query_position.size() == 1);
  const MechanismShape& shape = inputs.mechanism->shape();
  const SeenRows seen = seen_at(inputs, inputs.query_position.front());
  const Index heads = shape.h_q / shape.h_kv;
  std::vector<double> o;
  for (Index kv_head = 0; kv_head < shape.h_kv; ++kv_head) {
    DenseBlock block{.q = inputs.queries.front().q.data() + kv_head * heads * shape.d_qk,
                     .seen = std::span(&seen, 1),
                     .heads = heads,
                     .d_qk = shape.d_qk,
                     .d_v = shape.d_v,
                     .sm_scale = shape.sm_scale};
    if (!shape.sink_logit.empty()) block.sink_logit = std::span(shape.sink_logit).subspan(kv_head * heads, heads);
    if (inputs.rows != nullptr) block.cached = rows_of(shape, inputs.rows->k[kv_head], inputs.rows->v, kv_head);
    if (shape.local_window > 0)
      block.local = rows_of(shape, inputs.local->local[kv_head], inputs.local->local_v, kv_head);
    const std::vector<double> of_block = dense_attention(block);
    o.insert(o.end(), of_block.begin(), of_block.end());
  }
  return o;
}

}  // namespace lacuna
