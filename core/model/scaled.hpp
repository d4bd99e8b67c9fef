// Narrow models of a published pattern, small enough to run exactly: the layers, their kinds, their ratios and what
// they share stay as they are; widths become those of one small model.
#pragma once

#include "core/model/description.hpp"

namespace lacuna {

struct SmallExtents {
  Index d_model = 32;     ///< a multiple of 16
  Index vocabulary = 64;  ///< tokens
  Index window = 8;       ///< tokens, where the layer has a window
  Index top_k = 4;        ///< rows, where the layer selects
};

/// Four query heads everywhere. Heads are d_model / 4 wide, those of shared states d_model / 2; low ranks are
/// d_model / 4 or d_model / 2; grouped-query attention keeps two KV heads, others keep one KV head or one per head. Of
/// the layers the first `layers` remain, all of them if 0; UsageError where those cannot stand alone.
ModelDescription scaled(ModelDescription model, const SmallExtents& extents, Index layers = 0);

}  // namespace lacuna
