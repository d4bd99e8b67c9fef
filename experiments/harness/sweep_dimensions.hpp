// A sweep's axes as dimensions of the results file.
#pragma once

#include <vector>

#include "experiments/harness/results_file.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// One dimension per axis, named and labelled by its first coordinate.
std::vector<Dimension> sweep_dimensions(const Sweep& sweep);

/// The further coordinates of zipped keys, as variables along their axis.
void write_zipped_coordinates(ResultsGroup& group, const Axis& axis);

}  // namespace lacuna
