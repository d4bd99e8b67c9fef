// The costs of one architecture at every context of a study.
#pragma once

#include <vector>

#include "core/model/cost/cache_bytes.hpp"
#include "core/model/cost/operations.hpp"
#include "core/model/cost/positions.hpp"
#include "experiments/cache_cost/cost_study.hpp"

namespace lacuna {

struct ContextCosts {
  Index context = 0;
  CacheBytes held;
  CacheBytes read;  ///< per decoded token
  ScoredPositions scored;
  Index prefill_layer_tokens = 0;
  Index full_layer_tokens = 0;
  Operations operations;  ///< per decoded token
  double recomputation = 0;
};

struct ArchitectureCosts {
  const Architecture* architecture = nullptr;
  CacheBytes per_token;
  std::vector<ContextCosts> contexts;  ///< in the order of the study

  static ArchitectureCosts of(const Architecture& architecture, const std::vector<Index>& contexts);
};

}  // namespace lacuna
