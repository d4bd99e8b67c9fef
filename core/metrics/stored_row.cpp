#include "core/metrics/stored_row.hpp"

#include <cmath>

#include "core/reference/ball.hpp"
#include "core/reference/compensated.hpp"

namespace lacuna {
namespace {

/// The listed rows of the decoded cache, [kept, width].
Tensor gather(const Rows& decoded, const KeySet& kept) {
  std::vector<double> rows;
  rows.reserve(kept.size() * decoded.width());
  decoded.visit([&](const auto& from) {
    for (const RowIndex j : kept) rows.insert(rows.end(), from.row(j), from.row(j) + from.width);
  });
  return Tensor(1, static_cast<Index>(kept.size()), decoded.width(), std::move(rows));
}

/// Adds the kept rows' energy and that of their errors.
void add_energy(const Rows& exact, const SeenStoredRows& stored, const KeySet& kept, StoredRow& result) {
  exact.visit([&](const auto& rows) {
    for (const RowIndex j : kept) {
      const StoredRowView decoded = stored[j];
      for (Index c = 0; c < rows.width; ++c) {
        const double x = static_cast<double>(rows.row(j)[c]);
        result.signal += x * x;
        result.noise += (decoded.value[c] - x) * (decoded.value[c] - x);
      }
      result.saturated += decoded.saturated;
      result.flushed += decoded.flushed;
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
  const SeenRows seen = problem.seen(problem.query_position[query]);
  const SeenStoredRows stored_keys = stored.seen_keys(kv_head, seen);
  const SeenStoredRows stored_values = stored.seen_values(kv_head, seen);
  StoredRow result;
  const Tensor keys = gather(stored.layer().seen_keys(kv_head, seen), kept);
  const Tensor values = gather(stored.layer().seen_values(kv_head, seen), kept);
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
    const StoredRowView key = stored_keys[j];
    double h = 0;
    for (Index c = 0; c < d; ++c) h += std::abs(q[c]) * static_cast<double>(key.error_bound[c]);
    largest_bound = std::max(largest_bound, problem.sm_scale * h);
    result.value_error_bound += result.row.p(static_cast<Index>(i)) * stored_values[j].error_norm_bound;
  }
  result.score_oscillation = highest - lowest;
  result.oscillation_bound = 2 * largest_bound;
  result.kept_radius = radius_of_kept(problem.seen_values(kv_head, seen), kept, exact.has_sink);
  add_energy(problem.seen_keys(kv_head, seen), stored_keys, kept, result);
  if (!stored.shared_kv()) add_energy(problem.seen_values(kv_head, seen), stored_values, kept, result);
  return result;
}

}  // namespace lacuna
