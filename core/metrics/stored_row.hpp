// A row whose path keeps K and V in a format: what the ruler makes of the decoded rows, and what the stored bytes
// certify about them.
//
// With s~_j and v~_j the score and value from the decoded rows, p~ the softmax of s~ over the kept keys S and the sink,
// eta_j = s~_j - s_j (0 for the sink) and w = max eta - min eta over S and the sink (theory of perturbed softmax):
//
//   TV(P_S, P~) <= tanh(w / 4) ,
//   || o_S - o~ || <= tanh(w / 4) 2 R_S + sum_S p~_j ||v_j - v~_j|| ,   R_S = max( max_S ||v_j - c|| , ||c|| if sink )
//   (1)
//
// for any centre c; here the mean of the exact kept values. From the stored bytes alone,
//
//   |eta_j| <= h_j = sm_scale sum_c |q_c| e_jc ,   w <= max_i h_i + max_j h_j = 2 max h ,   ||v_j - v~_j|| <= E_j , (2)
//
// e_jc and E_j the format's bounds. The bound uses (2), the recorded score oscillation is w itself.
#pragma once

#include "core/approx/store.hpp"
#include "core/reference/exact_row.hpp"

namespace lacuna {

struct StoredRow {
  ExactRow row;                  ///< the ruler over the decoded kept rows, in the order of the kept set
  double score_oscillation = 0;  ///< w
  double oscillation_bound = 0;  ///< from (2)
  double kept_radius = 0;        ///< R_S
  double value_error_bound = 0;  ///< sum_S p~_j E_j
  double signal = 0;             ///< sum over kept rows of ||k||^2 + ||v||^2 (a shared state counted once)
  double noise = 0;              ///< the same of the errors
  Index saturated = 0;           ///< elements of the kept rows that were clipped
  Index flushed = 0;             ///< elements of the kept rows that became zero

  /// Right-hand side of (1).
  double output_bound() const;
};

StoredRow stored_row(const AttentionProblem& problem, const StoredCache& stored, const ExactRow& exact, Index head,
                     Index query, const KeySet& kept);

}  // namespace lacuna
