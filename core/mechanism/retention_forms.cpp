#include "core/mechanism/retention_forms.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

/// S <- decay S + weight k^T v; state [d_qk, d_v], k [d_qk], v [d_v].
void update_state(double decay, double weight, std::span<const double> k, std::span<const double> v,
                  std::span<double> state) {
  for (std::size_t r = 0; r < k.size(); ++r)
    for (std::size_t c = 0; c < v.size(); ++c)
      state[r * v.size() + c] = decay * state[r * v.size() + c] + weight * k[r] * v[c];
}

/// o += weight q S; q [d_qk], state [d_qk, d_v], o [d_v].
void read_state(double weight, std::span<const double> q, std::span<const double> state, std::span<double> o) {
  for (std::size_t r = 0; r < q.size(); ++r)
    for (std::size_t c = 0; c < o.size(); ++c) o[c] += weight * q[r] * state[r * o.size() + c];
}

/// o_i += sum_{begin <= j <= i} e^{G_i - G_j} (q_i . k_j) v_j; log_sum [n] are the G.
void read_tokens(const RetentionTokens& tokens, Index begin, Index i, std::span<const double> log_sum,
                 std::span<double> o) {
  for (Index j = begin; j <= i; ++j) {
    double s = 0;
    for (Index c = 0; c < tokens.d_qk; ++c) s += tokens.q[i * tokens.d_qk + c] * tokens.k[j * tokens.d_qk + c];
    s *= std::exp(log_sum[i] - log_sum[j]);
    for (Index c = 0; c < tokens.d_v; ++c) o[c] += s * tokens.v[j * tokens.d_v + c];
  }
}

std::span<const double> row(std::span<const double> rows, Index i, Index width) {
  return rows.subspan(i * width, width);
}

}  // namespace

std::vector<double> retention_recurrent(const RetentionTokens& tokens, std::span<double> state) {
  std::vector<double> o(tokens.count() * tokens.d_v, 0.0);
  for (Index t = 0; t < tokens.count(); ++t) {
    update_state(std::exp(tokens.log_decay[t]), 1, row(tokens.k, t, tokens.d_qk), row(tokens.v, t, tokens.d_v), state);
    read_state(1, row(tokens.q, t, tokens.d_qk), state, std::span(o).subspan(t * tokens.d_v, tokens.d_v));
  }
  return o;
}

std::vector<double> retention_parallel(const RetentionTokens& tokens) {
  std::vector<double> o(tokens.count() * tokens.d_v, 0.0);
  std::vector<double> log_sum(tokens.count());
  for (Index i = 0; i < tokens.count(); ++i) {
    log_sum[i] = (i > 0 ? log_sum[i - 1] : 0) + tokens.log_decay[i];
    read_tokens(tokens, 0, i, log_sum, std::span(o).subspan(i * tokens.d_v, tokens.d_v));
  }
  return o;
}

std::vector<double> retention_chunked(const RetentionTokens& tokens, Index chunk, std::span<double> state) {
  LACUNA_ASSERT(chunk > 0);
  std::vector<double> o(tokens.count() * tokens.d_v, 0.0);
  std::vector<double> log_sum(tokens.count());
  for (Index begin = 0; begin < tokens.count(); begin += chunk) {
    const Index end = std::min(begin + chunk, tokens.count());
    for (Index i = begin; i < end; ++i) {
      log_sum[i] = (i > begin ? log_sum[i - 1] : 0) + tokens.log_decay[i];
      const auto o_i = std::span(o).subspan(i * tokens.d_v, tokens.d_v);
      read_state(std::exp(log_sum[i]), row(tokens.q, i, tokens.d_qk), state, o_i);
      read_tokens(tokens, begin, i, log_sum, o_i);
    }
    for (double& s : state) s *= std::exp(log_sum[end - 1]);
    for (Index j = begin; j < end; ++j)
      update_state(1, std::exp(log_sum[end - 1] - log_sum[j]), row(tokens.k, j, tokens.d_qk),
                   row(tokens.v, j, tokens.d_v), state);
  }
  return o;
}

}  // namespace lacuna
