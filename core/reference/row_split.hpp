// The visible keys of one row, split by what a path did with them, and the ruler's sums over each part.
//
//   kept             S, attended by the path                 (with the sink: it is never omitted)
//   lost_selection   within reach (pool, window, sink tokens) and not kept
//   lost_pool        out of reach
//   lost_replay      local rows that are not there (core/approx/replay_window.hpp)
//
// All masses are under the exact weights: delta_part = Z_part / Z, each summed from its own keys, so that a mass of
// 1e-20 comes out as 1e-20. Distances are taken from the output õ that the path computed.
#pragma once

#include <cmath>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/reference/ball.hpp"
#include "core/reference/compensated.hpp"
#include "core/reference/exact_row.hpp"

namespace lacuna {

/// Sums over one part with the weights e_j e^-log_scale, not normalised. log_scale is 0, except for a part whose keys
/// all lie so far below the largest score that their e_j would underflow: those are taken relative to their own
/// maximum.
struct PartSums {
  explicit PartSums(Index d_v) : numerator(d_v) {}

  Index count = 0;  ///< keys
  double log_scale = 0;
  CompensatedSum z;             ///< sum e_j
  CompensatedVector numerator;  ///< sum e_j v_j
  double rho = 0;               ///< sum e_j rho_j
  double distance_max = 0;      ///< max_j ||v_j - õ||
  double distance_sum = 0;      ///< sum e_j ||v_j - õ||
  double distance_rho_sum = 0;  ///< sum e_j rho_j ||v_j - õ||

  /// Adds a part, on the larger of the two scales.
  void add(const PartSums& other);
  /// Takes the sums to another scale.
  void rescale(double scale);
  /// The factor from this part's scale to that of the row.
  double to_row() const { return log_scale == 0 ? 1 : std::exp(log_scale); }
  /// z on the scale of the row.
  double z_of_row() const { return z.value() * to_row(); }
  std::vector<double> mean() const { return numerator.divided_by(z.value()); }
};

/// Balls around the mean value of consecutive blocks of keys, for the blockwise bound; one KV head.
class ValueBalls {
 public:
  static constexpr Index kBlockSize = 16;
  ValueBalls() = default;
  /// Balls of the complete blocks among all rows; a block that a query sees in part is balled anew over what it sees.
  explicit ValueBalls(const Rows& values);
  /// ||c_b - x|| + r_b over the first `visible` rows.
  double reach(const Rows& values, Index block, Index visible, const std::vector<double>& x) const;

 private:
  std::vector<Ball> balls_;  // [complete blocks]
};

struct RowSplit {
  explicit RowSplit(Index d_v) : kept(d_v), lost_selection(d_v), lost_pool(d_v), lost_replay(d_v) {}

  PartSums kept;
  PartSums lost_selection;
  PartSums lost_pool;
  PartSums lost_replay;
  /// Sum over blocks of Z_b (||c_b - õ|| + r_b), Z_b over the block's omitted keys; a local row is a block of its own.
  double blockwise_sum = 0;
  std::vector<bool> is_kept;  ///< [visible]
};

/// `kept` and `reachable` ascending; `reachable` contains `kept`, and is ignored (everything) when !has_pool. The first
/// `absent_local` of the local rows are in neither.
RowSplit split_row(const ExactRow& exact, const Rows& values, const ValueBalls& balls, const KeySet& kept,
                   const KeySet& reachable, bool has_pool, Index absent_local, const std::vector<double>& o_path);

}  // namespace lacuna
