// How deep a TOML text nests, before it is parsed.
//
// A parser that recurses over arrays and tables is limited by its stack. toml++ counts brackets but not the parts of a
// dotted key, each of which is a table as well: a key of 20,000 parts ends the process.
#pragma once

#include <optional>
#include <string_view>

#include "experiments/harness/diagnostics.hpp"

namespace lacuna {

/// Where the text first nests deeper than `limit` levels, counting brackets and dots; nothing when it does not.
/// Exact up to the first syntax error of the text.
std::optional<Position> first_deeper_than(std::string_view text, int limit);

}  // namespace lacuna
