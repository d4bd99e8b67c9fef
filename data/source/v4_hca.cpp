// v4_hca: heavily compressed attention of DeepSeek-V4 (arXiv:2606.19348, section 2.3.2). A query reads its window of
// single tokens and every entry; an entry is made of 128 tokens (`ratio` scales that down).
#include "core/mechanism/shared_state.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/shared_state_parameters.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  SharedStateConfig config = with_extents(SharedStateConfig::v4_flash(128), source);
  config.ratio = source.integer("ratio");
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
  for (ParameterSpec& spec : shared_state_parameters()) specs.push_back(std::move(spec));
  specs.push_back(extent("ratio", "tokens", 128, "Tokens that are compressed into one entry."));
  return specs;
}

const bool registered = SourceRegistry::instance().add(
    {.name = "v4_hca",
     .sentence = "DeepSeek-V4's heavily compressed attention: entries of 128 tokens, all read, and a window of single "
                 "tokens; random weights.",
     .parameters = parameters(),
     .open = [](const Parameters& source, std::uint64_t seed) {
       return std::make_unique<MechanismSource>(source, seed, layers(source, seed));
     }});

}  // namespace
}  // namespace lacuna
