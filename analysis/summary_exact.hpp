// What exact attention was like at each swept value of the source, whatever the paths did with it.
#pragma once

#include <string>
#include <vector>

#include "analysis/results_reader.hpp"
#include "analysis/table.hpp"

namespace lacuna {

/// A line per swept value of the source (and label of the dimensions `by`): visible keys, deviation of the scores,
/// entropy and effective keys, and the last two by the log-normal law at the row's own keys and deviation, with
/// intervals, over the queries that see a key.
Table exact_table(const ResultsReader& reader, const std::vector<std::string>& by);

}  // namespace lacuna
