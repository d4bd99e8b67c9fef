// Which reduction changes which term of the cost: every architecture that names another one in `against`, beside it.
#pragma once

#include <string>
#include <vector>

#include "experiments/cache_cost/costs.hpp"

namespace lacuna {

/// A line per comparison at the context of place `at`: each term as a multiple of the other architecture's, "=" where
/// it is the same, "new" and "gone" where only one of the two has it. Empty when nothing is compared.
std::string format_reductions(const std::vector<ArchitectureCosts>& costs, std::size_t at);

}  // namespace lacuna
