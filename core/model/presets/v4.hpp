// The pattern of DeepSeek-V4: layers that read a window of single tokens and, beside it, no entries (ratio 0), selected
// entries of 4 tokens (CSA) or every entry of 128 tokens (HCA).
#pragma once

#include <vector>

#include "core/model/description.hpp"

namespace lacuna {

struct V4Extents {
  SharedStateConfig widths = {};   ///< ratio and what follows from it are those of the layer
  std::vector<Index> ratios = {};  ///< one per layer
  Index vocabulary = 129280;
  Index top_k = 512;
  Index feed_forward = 0;
};

ModelDescription v4_pattern(const V4Extents& extents);

}  // namespace lacuna
