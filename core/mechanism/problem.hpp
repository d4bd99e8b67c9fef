// The attention problem of some queries of a layer over its cache, or over the cache of the layer that it shares.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/mechanism.hpp"

namespace lacuna {

/// What a layer's problem is made of. `rows` is the cache whose rows (and index keys) the layer reads: its own, or
/// another layer's; `local` holds its own local rows. A null `rows` is a layer that reads local rows only.
struct LayerInputs {
  const Mechanism* mechanism = nullptr;
  const LayerCache* rows = nullptr;
  const LayerCache* local = nullptr;
  std::span<const QueryRows> queries;     // [s_q]
  std::span<const Index> query_position;  // [s_q], ascending
};

/// T is float (rows rounded to what a source of f32 holds) or double. `index` is set where the layer has an indexer of
/// its own and reads rows with index keys.
template <class T>
AttentionProblem problem_of(const LayerInputs& layer);

}  // namespace lacuna
