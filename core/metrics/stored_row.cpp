#include "core/metrics/stored_row.hpp"

#include <cmath>

#include "core/reference/ball.hpp"
#include "core/reference/compensated.hpp"

namespace lacuna {
namespace {

/// The listed rows, [kept, width].
Tensor gather(const StoredTensor& stored, Index kv_head, const KeySet& kept, Index width) {
  std::vector<double> rows;
  rows.reserve(kept.size() * width);
  for (const RowIndex j : kept) rows.insert(rows.end(), stored.row(kv_head, j), stored.row(kv_head, j) + width);
  return Tensor(1, static_cast<Index>(kept.size()), width, std::move(rows));
}

/// Adds the kept rows' energy and that of their errors.
void add_energy(const Rows& exact, const StoredTensor& stored, Index kv_head, const KeySet& kept, StoredRow& result) {
  exact.visit([&](const auto& rows) {
    for (const RowIndex j : kept) {
      const double* decoded = stored.row(kv_head, j);
      for (Index c = 0; c < rows.width; ++c) {
        const double x = static_cast<double>(rows.row(j)[c]);
        result.signal += x * x;
        result.noise += (decoded[c] - x) * (decoded[c] - x);
      }
      result.saturated += stored.saturated(kv_head, j);
      result.flushed += stored.flushed(kv_head, j);
    }
  });
}

/// R_S around the mean of the kept values.
double radius_of_kept(const Rows& values, const KeySet& kept, bool has_sink) {
  const Ball ball = ball_of(values, kept);
  return has_sink ? std::max(ball.radius, norm(ball.centre)) : ball.radius;
}

}  // namespace

double StoredRow::output_bound() const {
  return std::tanh(oscillation_bound / 4) * 2 * kept_radius + value_error_bound;
}

StoredRow stored_row(const AttentionProblem& problem, const StoredCache& stored, const ExactRow& exact, Index head,
                     Index query, const KeySet& kept) {
  const Index kv_head = problem.kv_head_of(head);
  const Index d = problem.d_qk();
  StoredRow result;
  const Tensor keys = gather(stored.keys(), kv_head, kept, d);
  const Tensor values = gather(stored.values(), kv_head, kept, problem.d_v());
  result.row = exact_row(problem.queries(head), query, keys[0], values[0], static_cast<Index>(kept.size()),
                         problem.sm_scale, problem.sink(head));
  if (kept.empty()) return result;

  std::vector<double> q(d);
  for (Index c = 0; c < d; ++c) q[c] = problem.queries(head).at(query, c);
  double highest = exact.has_sink ? 0 : -std::numeric_limits<double>::infinity();
  double lowest = -highest;
  double largest_bound = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const RowIndex j = kept[i];
    const double eta = result.row.s[i] - exact.s[j];
    highest = std::max(highest, eta);
    lowest = std::min(lowest, eta);
    const float* e = stored.keys().error_bound(kv_head, j);
    double h = 0;
    for (Index c = 0; c < d; ++c) h += std::abs(q[c]) * static_cast<double>(e[c]);
    largest_bound = std::max(largest_bound, problem.sm_scale * h);
    result.value_error_bound += result.row.p(static_cast<Index>(i)) * stored.values().error_norm_bound(kv_head, j);
  }
  result.score_oscillation = highest - lowest;
  result.oscillation_bound = 2 * largest_bound;
  result.kept_radius = radius_of_kept(problem.values(kv_head), kept, exact.has_sink);
  add_energy(problem.keys(kv_head), stored.keys(), kv_head, kept, result);
  if (!stored.shared_kv()) add_energy(problem.values(kv_head), stored.values(), kv_head, kept, result);
  return result;
}

}  // namespace lacuna
