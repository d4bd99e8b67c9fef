// v32: DeepSeek sparse attention (DeepSeek-V3.2-Exp, inference/model.py): absorbed MLA whose lightning indexer scores
// every token; select.by = "indexer" with k = 2048 is the published path.
#include "core/mechanism/sparse_mla.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/mla_parameters.hpp"
#include "data/source/parameter_rules.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  const SparseMlaConfig config{
      .mla = mla_config(source), .index_heads = source.integer("index_heads"), .d_index = source.integer("d_index")};
  return layers_that_differ_in_weights(source, seed, [&](std::uint64_t weights) {
    return std::make_shared<SparseMla>(config,
                                       SparseMlaWeights::random(config, 1, source.real("index_quality"), weights));
  });
}

std::vector<ParameterFault> check(const Parameters& source) {
  return ParameterRules(source).even("qk_rope").at_most("qk_rope", "d_index").faults();
}

const bool registered = SourceRegistry::instance().add(mechanism_source_kind(
    "v32",
    "DeepSeek-V3.2's sparse attention: multi-head latent attention with a lightning indexer over "
    "single tokens; random weights.",
    {.own = {{independent_layers()}, mla_parameters(), indexer_parameters(8, 32)}, .check = check, .layers = layers}));

}  // namespace
}  // namespace lacuna
