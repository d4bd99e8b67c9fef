// What a viewer of HDF5 files (h5web, silx) shows first: NeXus attributes, beside the netCDF layout and without a
// change to it. Attributes are outside data_sha256.
//
//   /                NX_class = NXroot,  default = the first group of results
//   /path, /cost     NX_class = NXentry, default = the first path that selects
//   /path/NAME       NX_class = NXdata,  signal = the variable to plot, axes = its dimensions, outermost first
//
// (NeXus: Definitions, NXdata and "Finding the plottable data".)
#pragma once

#include <string>
#include <vector>

#include "experiments/harness/results_file.hpp"

namespace lacuna {

struct DefaultPlot {
  std::string entry;  ///< "path", "cost": the group that holds the groups with data
  std::string first;  ///< the one of those that is shown first
};
/// For the root and the entry; once per file.
void announce_default_plot(ResultsFile& file, const DefaultPlot& plot);
/// For a group with data; `axes` are names of its dimension scales.
void default_signal(ResultsGroup group, const std::string& signal, const std::vector<std::string>& axes);

}  // namespace lacuna
