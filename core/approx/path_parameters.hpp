// The parameters that every path has, whatever its stages: the part of the parameter table that belongs to `[[path]]`.
#pragma once

#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna {

/// "window", "sink_tokens", "layers", "heads", "select.by", "select.share", "select.outside_window", "pool.blocks",
/// "pool.block_size", "pool.rank_by", "pool.pin_newest", "pool.from_layer", "region_count_weight", and those of the
/// replay, the store and the indexer. Those of one [[path.region]] are region_parameters(). A selector kind adds its
/// own as "select.<key>". Defaults of "select.*" apply only when the path has a select table (select.by given); the
/// same for "pool.*" (pool.blocks) and "replay.*" (replay.prefix).
std::vector<ParameterSpec> path_parameters();

/// Values of one cell that do not go together (keys as above).
std::vector<ParameterFault> check_path(const Parameters& path);

}  // namespace lacuna
