// What a study of cache_cost found, as a table for a terminal.
#pragma once

#include <string>
#include <vector>

#include "experiments/cache_cost/costs.hpp"

namespace lacuna {

/// At the longest context: what each reduction changes (reductions.hpp), where the study compares architectures, then
/// a line per architecture.
std::string format_cost_report(const std::vector<ArchitectureCosts>& costs);

/// "3514.25", "0.890 GB", "2.703 MB": bytes with decimal prefixes, exact below a thousand.
std::string format_bytes(double bytes);

}  // namespace lacuna
