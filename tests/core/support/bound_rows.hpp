// Rows over which bounds are tested: small ones, so that thousands are checked in wide arithmetic.
#pragma once

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna::testing_core {

/// Sinks, ties, shared K = V, cancellation, wide spreads, values far from 0, empty kept sets, pools.
inline RandomRow bound_row(std::uint64_t seed) { return random_row(random_shape(seed, 40, 6)); }

/// Nothing attended, no sink: the output is 0 by convention, and no mean of values.
inline bool attends_nothing(const RandomRow& row) { return row.kept.empty() && !row.wide.has_sink; }

/// What 113 bits do not resolve of a difference of outputs.
inline Wide wide_noise(const RandomRow& row) {
  Wide largest = 0;
  for (const WideVector& v : row.wide.v) largest = std::max(largest, wide_norm(v));
  return Wide(1e-32) * largest;
}

/// The output over the kept keys, off by nothing, by rounding or by much: `size` of the largest value.
inline PathRow answer_off_by(const RandomRow& row, double size, std::uint64_t seed) {
  PathRow answer = answer_over(row.wide, row.kept, row.reachable);
  Random random(seed);
  double largest = 0;
  for (const WideVector& v : row.wide.v) largest = std::max(largest, to_double(wide_norm(v)));
  for (double& x : answer.o) x += size * largest * random.normal();
  return answer;
}

/// || o - õ || for what the path put out.
inline Wide wide_error(const RandomRow& row, const PathRow& answer) {
  return wide_distance(row.wide.o(), widen(answer.o));
}
/// || o - o_S ||
inline Wide wide_truncation(const RandomRow& row) { return row.wide.move(row.wide.all(), row.kept); }

}  // namespace lacuna::testing_core
