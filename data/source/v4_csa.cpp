// v4_csa: compressed sparse attention of DeepSeek-V4 (arXiv:2606.19348, section 2.3.1). A query reads its window of
// single tokens and, of the entries that four overlapping tokens each were compressed into, those that the lightning
// indexer selects; select.by = "indexer" is the published path, `exact` reads every entry.
#include "core/mechanism/shared_state.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/shared_state_parameters.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  const SharedStateConfig config = with_extents(SharedStateConfig::v4_flash(4), source);
  std::vector<MechanismLayer> result;
  for (Index layer = 0; layer < source.integer("layers"); ++layer)
    result.push_back({.label = layer,
                      .mechanism = std::make_shared<SharedState>(
                          config, SharedStateWeights::random(config, weight_seed(seed, layer)))});
  return result;
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = mechanism_parameters();
  specs.push_back(independent_layers());
  for (auto part : {shared_state_parameters(), indexer_parameters(8, 32)})
    for (ParameterSpec& spec : part) specs.push_back(std::move(spec));
  return specs;
}

const bool registered = SourceRegistry::instance().add(
    {.name = "v4_csa",
     .sentence =
         "DeepSeek-V4's compressed sparse attention: entries of four overlapping tokens, a lightning indexer, a "
         "window of single tokens; random weights.",
     .parameters = parameters(),
     .open = [](const Parameters& source, std::uint64_t seed) {
       return std::make_unique<MechanismSource>(source, seed, layers(source, seed));
     }});

}  // namespace
}  // namespace lacuna
