#include "core/model/attend_layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace lacuna {
namespace {

/// Consecutive rows that a query sees in one KV head.
struct SeenRun {
  const double* k = nullptr;  // [count, d_qk]
  const double* v = nullptr;  // [count, v_stride], of which the first d_v channels are the value
  Index v_stride = 0;
  Index count = 0;
};

SeenRun cached_run(const LayerInputs& inputs, Index position, Index kv_head) {
  if (inputs.rows == nullptr) return {};
  const MechanismShape& shape = inputs.mechanism->shape();
  const LayerCache& cache = *inputs.rows;
  const Index visible = std::ranges::upper_bound(cache.key_position, position) - cache.key_position.begin();
  const double* k = cache.k[kv_head].data();
  if (shape.shared_kv) return {k, k, shape.d_qk, visible};
  return {k, cache.v[kv_head].data(), shape.d_v, visible};
}

SeenRun local_run(const LayerInputs& inputs, Index position, Index kv_head) {
  const MechanismShape& shape = inputs.mechanism->shape();
  if (shape.local_window == 0) return {};
  const Index begin = std::max(position + 1 - shape.local_window, inputs.local->first_local);
  const Index count = position + 1 - begin;
  const double* k = inputs.local->local[kv_head].data() + begin * shape.d_qk;
  if (shape.shared_kv) return {k, k, shape.d_qk, count};
  return {k, inputs.local->local_v[kv_head].data() + begin * shape.d_v, shape.d_v, count};
}

/// Appends sm_scale q . k_j of the run's rows to `s`.
void score(std::span<const double> q /* [d_qk] */, const SeenRun& run, double sm_scale, std::vector<double>& s) {
  const auto d_qk = static_cast<Index>(q.size());
  for (Index j = 0; j < run.count; ++j) {
    double dot = 0;
    for (Index c = 0; c < d_qk; ++c) dot += q[c] * run.k[j * d_qk + c];
    s.push_back(sm_scale * dot);
  }
}

/// o += sum_j e^{s_j - m} v_j; returns sum_j e^{s_j - m}. s [run.count], o [d_v].
double accumulate(std::span<const double> s, double m, const SeenRun& run, std::span<double> o) {
  double z = 0;
  for (Index j = 0; j < run.count; ++j) {
    const double e = std::exp(s[j] - m);
    z += e;
    for (std::size_t c = 0; c < o.size(); ++c) o[c] += e * run.v[j * run.v_stride + static_cast<Index>(c)];
  }
  return z;
}

/// Equation 1 over two runs of rows; o [d_v] is zero before. Without any row o stays zero.
void two_pass_softmax(std::span<const double> q, const SeenRun& cached, const SeenRun& local, double sm_scale,
                      std::optional<double> sink_logit, std::span<double> o) {
  std::vector<double> s;
  score(q, cached, sm_scale, s);
  score(q, local, sm_scale, s);
  if (s.empty()) return;
  double m = sink_logit.value_or(-std::numeric_limits<double>::infinity());
  for (const double s_j : s) m = std::max(m, s_j);
  double z = accumulate(std::span(s).first(cached.count), m, cached, o);
  z += accumulate(std::span(s).last(local.count), m, local, o);
  if (sink_logit) z += std::exp(*sink_logit - m);
  for (double& c : o) c /= z;
}

}  // namespace

std::vector<double> ExactAttend::attend(Index /*label*/, const LayerInputs& inputs) {
  LACUNA_ASSERT(inputs.queries.size() == 1 && inputs.query_position.size() == 1);
  const MechanismShape& shape = inputs.mechanism->shape();
  const Index position = inputs.query_position.front();
  std::vector<double> o(shape.h_q * shape.d_v, 0.0);
  for (Index h = 0; h < shape.h_q; ++h) {
    const Index kv_head = h * shape.h_kv / shape.h_q;
    const std::optional<double> sink = shape.sink_logit.empty() ? std::nullopt : std::optional(shape.sink_logit[h]);
    two_pass_softmax(std::span(inputs.queries.front().q).subspan(h * shape.d_qk, shape.d_qk),
                     cached_run(inputs, position, kv_head), local_run(inputs, position, kv_head), shape.sm_scale, sink,
                     std::span(o).subspan(h * shape.d_v, shape.d_v));
  }
  return o;
}

}  // namespace lacuna
