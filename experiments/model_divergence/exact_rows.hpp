// The exact run against the ruler. Its outputs are plain double arithmetic over whole layers; a sample of its rows is
// computed again by the ruler (core/reference), which shares no arithmetic with it. Both know how far they can be from
// exact, so that on every row
//
//   ||o_run - o_ruler|| <= radius = radius_run + radius_ruler + (d_v + 2) u ||o_run - o_ruler|| .                   (1)
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/attention/problem.hpp"
#include "experiments/attention_error/row_table.hpp"

namespace lacuna {

struct ExactRunRow {
  double output_error = std::numeric_limits<double>::quiet_NaN();         ///< ||o_run - o_ruler||
  double output_error_radius = std::numeric_limits<double>::quiet_NaN();  ///< (1)
  RowStatus status = RowStatus::not_run;                                  ///< bound_violated where (1) does not hold
};

/// rows [h_q][judged] of a problem with a query at every token; o [s_q, h_q, d_v] of the exact run.
std::vector<std::vector<ExactRunRow>> judge_exact_run(const AttentionProblem& problem, std::span<const double> o,
                                                      std::span<const Index> judged_position, int threads);

}  // namespace lacuna
