// From parameters with swept values to axes and cells.
//
//   axes  = the swept parameters in the table's order, zipped ones together at the place of the first of their keys
//   cells = the product of the axes, row-major: the last axis varies fastest
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "experiments/harness/study.hpp"
#include "experiments/harness/study_draft.hpp"

namespace lacuna {

/// The path whose selection another path reads.
struct ReferencedSweep {
  std::string name;
  const Sweep* sweep = nullptr;  ///< null: none is read
};

/// The extents of the owner's own axes.
std::vector<std::int64_t> axis_sizes(const OwnerDraft& owner);
/// Their product, or the largest std::int64_t when it is larger than that.
std::int64_t product(const std::vector<std::int64_t>& sizes);

/// Multiplies out. Coordinates are named `prefix` and the key, and hold the values as written; in the cells, files are
/// resolved against `folder`.
/// A path that reads another's selection has that path's axes first, renamed "<path>_<axis>", and in each cell the
/// integer "select.path_cell", the number of the other path's cell (which is not among the fixed values).
Sweep make_sweep(const OwnerDraft& owner, const std::string& prefix, const std::filesystem::path& folder,
                 const ReferencedSweep& referenced);

}  // namespace lacuna
