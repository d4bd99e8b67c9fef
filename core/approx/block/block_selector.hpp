// Selection by blocks: blocks are opened in the order of their rank until k candidate keys are reached; every candidate
// of an opened block is attended, so the realised count may exceed k by less than a block.
#pragma once

#include <string>

#include "core/approx/block_ranker.hpp"
#include "core/approx/selector.hpp"

namespace lacuna {

/// The selector kind that opens blocks in a ranker's order; parameters: k, block_size.
SelectorKind block_selector_kind(const std::string& name, const BlockRankerKind& ranker);

}  // namespace lacuna
