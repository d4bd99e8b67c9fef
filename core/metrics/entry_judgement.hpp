// A row of a path whose softmax runs over entries that stand for several rows (core/approx/region.hpp).
//
// The exact keys have no split into kept and omitted here, so nothing is said of masses. With o_E the ruler's output
// over the entries as they are kept (an entry of offset a has the score sm_scale q.k + a, as one more channel of q = 1
// and k = a / sm_scale),
//
//   output_error = || o - o_E || ,                                                                                (1)
//   arithmetic_error = || o_E - õ ||  within what plain double arithmetic can cause: else the row has failed.       (2)
//
// Radius of (1): those of o and of o_E, the rounding of the norm, and that of the offsets. Each is off by at most
// h = 3u max a, so (theory of perturbed softmax, stored_row.hpp (1)) o_E by tanh(2h / 4) 2 R <= h R, R the radius of
// the entries' values around their mean.
#pragma once

#include "core/approx/region_cache.hpp"
#include "core/metrics/path_judgement.hpp"

namespace lacuna {

/// `regions`: what the head attends beside the local rows; nullptr where the path leaves it exact.
PathJudgement judge_entries(const AttentionProblem& problem, const PathTraits& traits, const ExactRow& exact,
                            const std::vector<RowIndex>& exact_order, const PathRow& answer, const RegionCache* regions,
                            Index head, Index query);

}  // namespace lacuna
