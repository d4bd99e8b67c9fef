// v32: DeepSeek sparse attention (DeepSeek-V3.2-Exp, inference/model.py): absorbed MLA whose lightning indexer scores
// every token; select.by = "indexer" with k = 2048 is the published path.
#include "core/mechanism/sparse_mla.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/mla_parameters.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  const SparseMlaConfig config{
      .mla = mla_config(source), .index_heads = source.integer("index_heads"), .d_index = source.integer("d_index")};
  std::vector<MechanismLayer> result;
  for (Index layer = 0; layer < source.integer("layers"); ++layer)
    result.push_back(
        {.label = layer,
         .mechanism = std::make_shared<SparseMla>(
             config, SparseMlaWeights::random(config, 1, source.real("index_quality"), weight_seed(seed, layer)))});
  return result;
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = mechanism_parameters();
  specs.push_back(independent_layers());
  for (auto part : {mla_parameters(), indexer_parameters(8, 32)})
    for (ParameterSpec& spec : part) specs.push_back(std::move(spec));
  return specs;
}

const bool registered = SourceRegistry::instance().add(
    {.name = "v32",
     .sentence = "DeepSeek-V3.2's sparse attention: multi-head latent attention with a lightning indexer over single "
                 "tokens; random weights.",
     .parameters = parameters(),
     .open = [](const Parameters& source, std::uint64_t seed) {
       return std::make_unique<MechanismSource>(source, seed, layers(source, seed));
     }});

}  // namespace
}  // namespace lacuna
