#include "experiments/cache_cost/costs.hpp"

namespace lacuna {

ArchitectureCosts ArchitectureCosts::of(const Architecture& architecture, const std::vector<Index>& contexts) {
  const ModelDescription& model = architecture.model;
  ArchitectureCosts costs{
      .architecture = &architecture, .per_token = bytes_per_token(model, architecture.storage), .contexts = {}};
  for (const Index context : contexts)
    costs.contexts.push_back({.context = context,
                              .held = cache_bytes(model, architecture.storage, context),
                              .read = bytes_read(model, architecture.storage, context),
                              .scored = scored_positions(model, context),
                              .prefill_layer_tokens = prefill_layer_tokens(model, context),
                              .full_layer_tokens = full_layer_tokens(model, context),
                              .operations = decode_operations(model, context),
                              .recomputation = recomputation_operations(model, context)});
  return costs;
}

}  // namespace lacuna
