// The cells of a study, laid out: every path with every value of its sweep, and the trials of random ones.
#pragma once

#include <string>
#include <vector>

#include "core/approx/path.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// One path as a whole: what its cells share.
struct PathPlan {
  const StudyPath* study = nullptr;
  PathTraits traits;          ///< the same in every cell: what is swept never changes which stages there are
  bool published = false;     ///< another path, or a later layer of its own, reads its selections or pools
  bool spans_layers = false;  ///< a later layer does
  Index slots = 0;            ///< most keys that one row can attend; for `selected`

  Index cells() const { return static_cast<Index>(study->sweep.cells.size()); }
  /// cells x trials
  Index runs() const { return cells() * traits.trials; }
};

/// In the order of the file. `keys` = most keys of a sequence.
std::vector<PathPlan> plan_paths(const Study& study, Index keys);

}  // namespace lacuna
