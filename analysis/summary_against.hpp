// Every path against one of them, on the same rows (statistics/paired_comparison.hpp).
#pragma once

#include <string>
#include <vector>

#include "analysis/summary_of_kind.hpp"

namespace lacuna {

/// attention_error, on the relative output error. `against` is "top_k", or "top_k:select_k=64,window=4" for one of its
/// swept values. Where one value is left, other paths are set against it as it is; where there are several, at as many
/// keys read, between its values where need be. Reads all cells of `against` at once. Throws UsageError where there is
/// no such path or value, or where several values read as many keys.
Table attention_against(const ResultsReader& reader, const std::vector<std::string>& by, const std::string& against);

/// model_divergence, on the next tokens' divergence and loss. One value must be left.
Table divergence_against(const ResultsReader& reader, const std::vector<std::string>& by, const std::string& against);

/// What their columns mean.
std::string against_footer();

}  // namespace lacuna
