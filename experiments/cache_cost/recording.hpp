// The results file of cache_cost: a group /cost/NAME for each architecture.
#pragma once

#include "experiments/cache_cost/costs.hpp"
#include "experiments/harness/results_file.hpp"

namespace lacuna {

void record_costs(ResultsFile& file, const ArchitectureCosts& costs);

}  // namespace lacuna
