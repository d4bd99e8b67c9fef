// What the harness knows about one answered row: the exact row, the split of its keys, and the truncation error in the
// form that keeps its digits.
//
// For a pure truncation (kept scores and values exact, weights renormalised), with delta the omitted mass, mu_tail the
// mean value of the omitted keys under the exact weights and mu_head that of the kept ones (sink included),
//
//   o - o_S = delta (mu_tail - mu_head) ,   mu_head = o_S .                                                     (1)
//
// The right-hand side is computed; the difference on the left would lose everything below 1e-16 ||o||. The same form
// gives the parts of a replay, o - o_replay over the rows that are there, of the pool, o_replay - o_pool, and of the
// selection, o_pool - o_S. Radius of (1), with D = ||mu_tail - mu_head||:
//
//   rel_delta = 1.01 [ sum_T p rho / delta + sum p rho + 3u + 6 gamma_n^2 ]                                    (2)
//   rad_mu    = 1.01 [ sum_part p rho ||v - mu|| / p_part + 3u ||mu|| + 6 gamma_n^2 V ]                        (3)
//   radius    = delta (rel_delta D + rad_mu_tail + rad_mu_head) + (d_v + 8) u delta D + underflow              (4)
//
// where ||v - mu|| <= ||v - õ|| + ||õ - mu|| is used in (3), since the sums were taken around õ.
//
// A path that keeps its cache in a format is no pure truncation: its scores and values are perturbed. Its output error
// is the difference ||o - õ|| itself, within the ruler's radius, and stored_row.hpp holds what the ruler makes of the
// rows that the path kept.
//
// The path computed õ in plain double. arithmetic_error = ||o_S - õ|| is measured; when it is within
// arithmetic_radius (what plain double arithmetic over the kept keys can cause), the path did attend what it says it
// attended, and (1) is its output error. Otherwise the row has failed.
#pragma once

#include <cmath>
#include <optional>

#include "core/approx/path.hpp"
#include "core/metrics/stored_row.hpp"
#include "core/reference/row_split.hpp"

namespace lacuna {

/// A difference of outputs and the radius of its own error.
struct MeasuredError {
  double value = 0;
  double radius = 0;
};

struct PathJudgement {
  const AttentionProblem* problem = nullptr;
  const PathTraits* traits = nullptr;
  const ExactRow* exact = nullptr;
  const PathRow* answer = nullptr;
  const std::vector<RowIndex>* exact_order = nullptr;  ///< [visible] keys by exact score, best first

  RowSplit split;
  PartSums tail;     ///< all omitted keys
  PartSums reach;    ///< kept and lost_selection, sink included
  double delta = 0;  ///< omitted mass
  double delta_replay = 0;
  double delta_pool = 0;
  double delta_selection = 0;
  double delta_relative_radius = 0;      ///< (2)
  std::optional<StoredRow> stored = {};  ///< when the path keeps its cache in a format
  double arithmetic_error = 0;           ///< ||o_S - õ||, o_S from the rows as the path keeps them
  double arithmetic_radius = 0;
  double kept_radius = 0;                     ///< rounding of the ruler's o_S and of the norm that arithmetic_error is
  MeasuredError output_error = {};            ///< ||o - õ||; for a pure truncation (1)
  MeasuredError output_error_store = {};      ///< ||o_S - õ||, o_S from the exact rows
  MeasuredError output_error_replay = {};     ///< ||o - o_replay||, o_replay over the rows that are there
  MeasuredError output_error_pool = {};       ///< ||o_replay - o_pool||
  MeasuredError output_error_selection = {};  ///< ||o_pool - o_S||

  /// delta raised by its radius: what bounds are computed from.
  double delta_upper() const { return delta * (1 + delta_relative_radius) + underflow(); }
  /// What ||o_S - õ|| is at most.
  double arithmetic_upper() const { return arithmetic_error + kept_radius; }
  /// Absolute room for weights that underflow; masses near it are not resolved.
  double underflow() const;
  /// Whether the ruler could weigh the keys; otherwise every radius and bound is infinite.
  bool is_weighed() const {
    return std::isfinite(exact->error_radius) && (!stored || std::isfinite(stored->row.error_radius));
  }
  bool path_attended_what_it_says() const { return arithmetic_error <= arithmetic_radius; }
};

/// What plain double arithmetic over `attended` rows can do to their output; `rows` of them, with d_qk channels.
double plain_double_radius(const ExactRow& attended, double sm_scale, Index d_qk, Index rows);

/// `stored`: the cache as the path keeps it, or nullptr. `head` and `query` by index.
PathJudgement judge_path(const AttentionProblem& problem, const PathTraits& traits, const ExactRow& exact,
                         const std::vector<RowIndex>& exact_order, const PathRow& answer, const Rows& values,
                         const ValueBalls& balls, const StoredCache* stored = nullptr, Index head = 0, Index query = 0);

}  // namespace lacuna
