// Everything that a decoder keeps between tokens: per layer its rows, or the state of a retention layer. A value: a
// copy is a snapshot from which the sequence can go on another way.
//
// A layer that reads another one's rows keeps none of them. Local rows are kept for the whole sequence although only
// those in the window are read, so `bytes` is what is held here in double, not what a serving system would store.
#pragma once

#include <variant>
#include <vector>

#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/retention.hpp"

namespace lacuna {

using LayerState = std::variant<LayerCache, RetentionState>;

struct ModelCache {
  Index tokens = 0;                ///< appended so far; the next one stands at this position
  std::vector<LayerState> layers;  // [layers]

  /// Of the numbers held, without the capacity of the containers.
  Index bytes() const;
};

/// Bytes of the numbers that one layer holds.
Index state_bytes(const LayerState& state);

}  // namespace lacuna
