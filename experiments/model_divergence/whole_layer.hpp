// Rows that need no choosing, a whole layer at a time.
//
// Where a path attends every row that a query sees, as it is or in formats that store each row for itself, what its
// queries give is dense attention over those rows (core/model/dense_attention.hpp), and all of them are computed
// together. Equal inputs give equal bits in every run that has such rows: the exact run, a path without stages, the
// layers and heads that a path leaves out.
#pragma once

#include <vector>

#include "experiments/model_divergence/attend_run.hpp"

namespace lacuna {

/// Whether the path attends every row of that layer as it is.
bool attends_everything(const Parameters& path, Index layer_label);

struct WholeLayer {
  std::vector<bool> has;  ///< [h_q] heads whose outputs stand in `o`
  std::vector<double> o;  // [s_q, h_q, d_v]; of other heads not to be read

  bool has_all() const;
};

WholeLayer attend_whole_layer(const RunLayer& layer);

}  // namespace lacuna
